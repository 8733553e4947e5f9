import type { Logger } from '@parlance/platform';
import kafkajs, { type logCreator } from 'kafkajs';

const { logLevel } = kafkajs;

/** An error in kafkajs's log is mostly a try that will be repeated; its information is detail. */
const OURS: Partial<Record<number, 'warn' | 'info' | 'debug'>> = { [logLevel.ERROR]: 'warn', [logLevel.WARN]: 'info' };

/** A producer whose retries end is replaced (RecordPublisher), so that this does not hold here. */
const UNFOUNDED = 'Limiting retries for the idempotent producer may invalidate EoS guarantees';

/** The log of kafkajs as lines of ours, a level lower, without stacks and payloads. */
export const kafkaLogCreator =
  (log: Logger): logCreator =>
  () =>
  ({ namespace, level, log: { message, broker, error, groupId, retryCount } }) => {
    if (message === UNFOUNDED) return;
    const facts = { component: `kafkajs ${namespace}`, broker, kafka_group: groupId, retry_count: retryCount, reason: reasonOf(error) };
    log[OURS[level] ?? 'debug'](facts, message);
  };

/** Its own levels below warnings are many lines a second. */
export const kafkaLogLevel = (log: Logger): number => (log.isLevelEnabled('debug') ? logLevel.INFO : logLevel.WARN);

const reasonOf = (error: unknown): string | undefined => (error instanceof Error ? error.message : typeof error === 'string' ? error : undefined);
