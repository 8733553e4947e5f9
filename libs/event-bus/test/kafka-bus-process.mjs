// Handles events of a Kafka bus until it is killed, and writes down what it does.
// node kafka-bus-process.mjs <url> <group> <journal> <name> <milliseconds a handler takes>
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openEventBus } from '@parlance/event-bus';
import { silentLogger, systemClock } from '@parlance/platform';

const [, , url, group, journal, name, takes] = process.argv;
const note = (what, id, key) => appendFileSync(journal, `${JSON.stringify({ name, what, id, key })}\n`);

const bus = await openEventBus(url, { clock: systemClock, log: silentLogger() });
await bus.subscribe({
  group,
  topic: 'parlance.jobs.v1',
  concurrency: 4,
  handlers: {
    'job.progressed': async ({ event, signal }) => {
      note('began', event.id, event.key);
      await pause(Number(takes), undefined, { signal });
      note('ended', event.id, event.key);
    },
  },
});
note('ready');
