import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import kafkajs, { type PartitionerArgs } from 'kafkajs';
import { partPartitioner } from './part-partitioner.js';

const partition = partPartitioner();
const record = (key: string, partitions: number): PartitionerArgs => ({
  topic: 'topic',
  partitionMetadata: Array.from({ length: partitions }, (_, partitionId) => ({ partitionErrorCode: 0, partitionId, leader: 0, replicas: [0], isr: [0] })),
  message: { key, value: '' },
});

describe('the partition of an event', () => {
  it('is where clients of other languages put its key', () => {
    const byKey = kafkajs.Partitioners.DefaultPartitioner();
    fc.assert(fc.property(fc.uuid(), fc.integer({ min: 1, max: 48 }), (key, partitions) => partition(record(key, partitions)) === byKey(record(key, partitions))));
  });

  it('is another for each part of a whole, as evenly as can be, and the same for the same part', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 48 }), fc.integer({ min: 1, max: 200 }), (whole, partitions, parts) => {
        const counts = Array.from({ length: partitions }, () => 0);
        for (let part = 0; part < parts; part += 1) {
          const place = partition(record(`${whole}/${part}`, partitions));
          expect(partition(record(`${whole}/${part}`, partitions))).toBe(place);
          counts[place] = (counts[place] ?? 0) + 1;
        }
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 30 },
    );
  });
});
