import { describe, expect, it } from '@jest/globals';
import type { LoggedEvent } from './event-log.js';
import { SharedReads } from './shared-reads.js';

const TOPIC = 'parlance.jobs.v1';

describe('SharedReads', () => {
  const started = () => {
    const positions = [1, 2, 3];
    let reads = 0;
    const log = {
      read: (_topic: string, after: number, limit: number) => {
        reads += 1;
        return positions.filter((position) => position > after).slice(0, limit).map((position) => ({ position }) as LoggedEvent);
      },
    };
    const shared = new SharedReads(log);
    const read = (after: number, limit = 10) => shared.read(TOPIC, after, limit).map(({ position }) => position);
    return { positions, shared, read, reads: () => reads };
  };

  it('reads once for all that have come equally far', () => {
    const { read, reads } = started();
    expect([read(1), read(1), read(1)]).toEqual([[2, 3], [2, 3], [2, 3]]);
    expect(reads()).toBe(1);
  });

  it('reads for each that has come to another place, or wants another number', () => {
    const { read } = started();
    expect([read(1), read(0), read(2), read(0, 1)]).toEqual([[2, 3], [1, 2, 3], [3], [1]]);
  });

  it('reads again after a change', () => {
    const { positions, shared, read } = started();
    read(3);
    positions.push(4);
    shared.forget(TOPIC);
    expect(read(3)).toEqual([4]);
  });
});
