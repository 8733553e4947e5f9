import { createRequire } from 'node:module';

/** kafkajs has one for each connection: requests that wait for others, or for the end of a broker's throttling. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Milliseconds since 1970; -1 before the first throttling. */
  readonly throttledUntil: number;
  scheduleCheckPendingRequests(): void;
}

const queueClass = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
const { scheduleCheckPendingRequests: schedule } = queueClass.prototype;

/**
 * kafkajs 2.2.4 looks at every connection's waiting requests each millisecond for as long as the connection lives, also when
 * nothing waits and nothing is throttled: half of what an idle service takes of its core. The remedy is not released (kafkajs
 * issue 1751, pull request 1768).
 */
queueClass.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
};
