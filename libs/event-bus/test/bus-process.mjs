// Publishes and handles events as fast as it can until it is killed, and writes down what was done.
// node bus-process.mjs <events.db> <journal> <life>
import { appendFileSync } from 'node:fs';
import { openEventBus, stampEvent } from '@parlance/event-bus';
import { EVENTS } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { chanceFor } from '../../platform/src/contract/chance.ts';

const [, , database, journal, life] = process.argv;
const ids = ulidGenerator();
const { random } = chanceFor(`bus-process ${life}`);
const note = (what, id, key) => appendFileSync(journal, `${JSON.stringify({ life: Number(life), what, id, key })}\n`);

const bus = await openEventBus(`sqlite:${database}`, { clock: systemClock, log: silentLogger() });
await bus.subscribe({
  group: 'survivors',
  topic: 'parlance.jobs.v1',
  concurrency: 4,
  handlers: {
    'job.progressed': async ({ event }) => {
      note('began', event.id, event.key);
      await new Promise((resolve) => setImmediate(resolve));
      note('ended', event.id, event.key);
    },
  },
});

for (;;) {
  const events = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const data = EVENTS['job.progressed'].codec.fromJSON({ jobId: `job_${Math.floor(random() * 10)}` });
    return stampEvent({ type: 'job.progressed', data }, { clock: systemClock, ids, source: 'test' });
  });
  await bus.publish(events);
  for (const { id, key } of events) note('published', id, key);
}
