import type { Topic, TopicDefinition } from '@parlance/contracts';
import type { GroupCommit } from '@parlance/platform/sqlite';
import { deadLetterRetentionMs } from '../dead-letter-retention.js';
import type { EventLog } from './event-log.js';

interface TrimOptions {
  log: EventLog;
  commits: GroupCommit;
  /** Groups that are subscribed now. */
  live: readonly { group: string; topic: Topic }[];
  /** Milliseconds since the epoch. */
  now: number;
  topics: Readonly<Record<Topic, Pick<TopicDefinition, 'retentionMs'>>>;
}

const ROWS = 500;

/**
 * Removes events that are older than their topic's retention and that every known group has finished, and old dead letters.
 * A group without a subscription for as long holds the log back no longer, as on a broker.
 */
export async function trimLog({ log, commits, live, now, topics }: TrimOptions): Promise<number> {
  let trimmed = 0;
  await commits.run(live.length, () => live.forEach(({ group, topic }) => log.join(group, topic, now)));
  for (const [topic, { retentionMs }] of Object.entries(topics) as [Topic, { retentionMs: number }][]) {
    const oldest = now - retentionMs;
    const oldestLetter = new Date(now - deadLetterRetentionMs({ retentionMs })).toISOString();
    await commits.run(1, () => {
      log.forgetGroups(topic, oldest);
      log.forgetLetters(topic, oldestLetter);
    });
    for (;;) {
      const removed = await commits.run(ROWS, () => log.trim(topic, oldest, ROWS));
      trimmed += removed;
      if (removed < ROWS) break;
    }
  }
  return trimmed;
}
