import { TOPICS, type TopicDefinition } from '@parlance/contracts';

/** Time to look after a dead letter. */
const LEAST_MS = 30 * 24 * 60 * 60 * 1000;

/** Milliseconds that the dead letters of a topic are kept: as long as its events, and long enough to be looked after. */
export const deadLetterRetentionMs = ({ retentionMs }: Pick<TopicDefinition, 'retentionMs'>): number => Math.max(retentionMs, LEAST_MS);

/** That of all topics. */
export const REFUSED_EVENT_RETENTION_MS = Math.max(...Object.values(TOPICS).map(deadLetterRetentionMs));
