import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import './produce-request.js';

type MakeRequest = (options: object) => { encode(): Promise<{ buffer: Buffer; size(): number }> };

const require = createRequire(import.meta.url);
const theirs = require('kafkajs/src/protocol/requests/produce/v7/request') as MakeRequest;
const { requests } = require('kafkajs/src/protocol/requests') as {
  requests: { Produce: { protocol: (of: { version: number }) => (options: object) => { request: ReturnType<MakeRequest> } } };
};
const ours: MakeRequest = (options) => requests.Produce.protocol({ version: 7 })(options).request;

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ minLength: 40, maxLength: 70 }));
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const large = fc.constantFrom(8100, 8200, 70_000).map((length) => 'x'.repeat(length));
const value = fc.oneof({ weight: 5, arbitrary: text }, { weight: 2, arbitrary: bytes }, fc.constant(null), large);
const header = fc.oneof(text, bytes, fc.array(fc.oneof(text, bytes), { maxLength: 3 }));
const message = fc.record(
  { key: fc.oneof(text, bytes, fc.constant(null)), value, headers: fc.dictionary(text, header, { maxKeys: 8 }) },
  { requiredKeys: ['value'] },
);
const later = fc.integer({ min: 0, max: 1e9 }).map((ms) => String(1.7e12 + ms));
const stamped = fc.tuple(message, later).map(([of, timestamp]) => ({ ...of, timestamp }));
const messages = fc.array(message, { minLength: 1, maxLength: 12 });
const partition = fc.record(
  { partition: fc.nat(), firstSequence: fc.nat(), messages: fc.oneof({ weight: 9, arbitrary: messages }, fc.array(stamped, { minLength: 1, maxLength: 3 })) },
  { requiredKeys: ['partition', 'messages'] },
);
const topic = fc.record({ topic: text, partitions: fc.array(partition, { maxLength: 3 }) });
const options = fc.record(
  {
    acks: fc.constantFrom(-1, 0, 1),
    timeout: fc.nat(),
    producerId: fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }).map(String),
    producerEpoch: fc.integer({ min: 0, max: 32_767 }),
    topicData: fc.array(topic, { maxLength: 3 }),
  },
  { requiredKeys: ['acks', 'timeout', 'topicData'] },
);

describe('a produce request', () => {
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(1_763_000_000_000);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is byte by byte what kafkajs makes of it', async () => {
    await fc.assert(
      fc.asyncProperty(options, async (of) => {
        const [mine, expected] = await Promise.all([ours(of).encode(), theirs(of).encode()]);
        expect(mine.size()).toBe(expected.size());
        expect(mine.buffer.equals(expected.buffer)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
