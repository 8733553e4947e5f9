import { DEAD_LETTERS, TOPICS, type TopicDefinition } from '@parlance/contracts';

/** Milliseconds that the dead letters of a topic are kept: as long as its events, and long enough to be looked after. */
export const deadLetterRetentionMs = ({ retentionMs }: Pick<TopicDefinition, 'retentionMs'>): number => Math.max(retentionMs, DEAD_LETTERS.leastRetentionMs);

/** That of all topics. */
export const REFUSED_EVENT_RETENTION_MS = Math.max(...Object.values(TOPICS).map(deadLetterRetentionMs));
