import { afterAll, beforeAll } from '@jest/globals';
import { KafkaPlayground } from '../../test/kafka-playground.js';
import { describeEventBusContract } from '../contract/index.js';

let playground: KafkaPlayground;
beforeAll(async () => {
  playground = await KafkaPlayground.create();
});
afterAll(() => playground.dispose());

/** The log is the same for all tests: each has jobs and groups of its own. */
describeEventBusContract('KafkaEventBus', async () => {
  const connect = ({ drainMs }: { drainMs?: number | undefined } = {}) => playground.connect(undefined, drainMs);
  return { bus: await connect(), connect, dispose: async () => {} };
});
