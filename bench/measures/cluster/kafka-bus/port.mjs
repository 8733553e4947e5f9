import { topicOf } from '@parlance/contracts';
import { openEventBus } from '@parlance/event-bus';
import { silentLogger, systemClock } from '@parlance/platform';

export async function openSide({ url, type }, handled) {
  const bus = await openEventBus(url, { clock: systemClock, log: silentLogger() });
  await bus.subscribe({ group: 'bench', topic: topicOf(type), concurrency: 64, handlers: { [type]: async () => handled() } });
  return { send: (events) => bus.publish(events), close: () => bus.close() };
}
