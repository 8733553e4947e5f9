// A process that works on the queue `work` and never ends a task: contract/killing.ts kills, stops and continues it.
// It says on a line each what its task is up to.
import { silentLogger, systemClock } from '@parlance/platform';
import { openTaskQueue } from '../dist/index.js';

const [url, service, times] = process.argv.slice(2);
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

const queue = await openTaskQueue(url, { clock: systemClock, log: silentLogger(), service, times: JSON.parse(times) });
await queue.work({
  queue: 'work',
  capacity: 1,
  deadlineMs: 600_000,
  retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 },
  perform: ({ id }, { signal }) =>
    new Promise((_resolve, reject) => {
      say({ began: id });
      signal.addEventListener('abort', () => {
        say({ aborted: id, code: signal.reason.code });
        reject(signal.reason);
      });
    }),
});
