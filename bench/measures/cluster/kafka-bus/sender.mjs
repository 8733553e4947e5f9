// One side of the measure `kafka-bus`, in a process of its own: the port patches methods of kafkajs, which the other side uses
// as released. The parent process starts each round by a message.
import { eventOf } from '../../event-of.mjs';

/** Events that an outbox hands over at once under load. */
const BATCH = 64;

const { openSide } = await import(`./${process.argv[2]}.mjs`);

process.on('message', async ({ count, ...options }) => {
  const all = counter(count);
  const side = await openSide(options, all.count);
  const [started, processor] = [performance.now(), process.cpuUsage()];
  for (let index = 0; index < count; index += BATCH) {
    await side.send(Array.from({ length: Math.min(BATCH, count - index) }, (_, at) => eventOf(index + at)));
  }
  await all.reached;
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(processor);
  await side.close();
  process.send({ rate: count / seconds, processor: (user + system) / count });
});

// Its connections to Kafka would keep the process alive.
process.on('disconnect', () => process.exit());

function counter(wanted) {
  let count = 0;
  let reach;
  const reached = new Promise((resolve) => (reach = resolve));
  return { reached, count: () => void (++count === wanted && reach()) };
}
