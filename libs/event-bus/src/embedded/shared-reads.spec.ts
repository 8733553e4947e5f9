import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LoggedEvent } from './event-log.js';
import { SharedReads } from './shared-reads.js';

const TOPIC = 'parlance.jobs.v1';

describe('SharedReads', () => {
  const started = () => {
    const positions = [1, 2, 3];
    let reads = 0;
    let version = 1;
    const eventsAt = (all: readonly number[]) => all.map((position) => ({ position }) as LoggedEvent);
    const log = {
      read: (_topic: string, after: number, limit: number) => {
        reads += 1;
        return eventsAt(positions.filter((position) => position > after).slice(0, limit));
      },
      dataVersion: () => version,
    };
    const shared = new SharedReads(log);
    const read = (after: number, limit = 10) => shared.read(TOPIC, after, limit).map(({ position }) => position);
    const commit = (...added: number[]) => {
      positions.push(...added);
      const asOf = version;
      return () => shared.appended(TOPIC, eventsAt(added), asOf);
    };
    const append = (...added: number[]) => commit(...added)();
    const appendElsewhere = (added: number) => {
      positions.push(added);
      version += 1;
    };
    return { positions, shared, read, commit, append, appendElsewhere, reads: () => reads };
  };

  it('reads once for all that have come equally far', () => {
    const { read, reads } = started();
    expect([read(1), read(1), read(1)]).toEqual([[2, 3], [2, 3], [2, 3]]);
    expect([read(0, 2), read(0, 2)]).toEqual([[1, 2], [1, 2]]);
    expect(reads()).toBe(2);
  });

  it('gives each what it wants that has come to another place, or wants another number', () => {
    const { read } = started();
    expect([read(1), read(0), read(2), read(0, 1), read(3)]).toEqual([[2, 3], [1, 2, 3], [3], [1], []]);
  });

  it('gives what was appended to who has come to the end, without a read', () => {
    const { read, append, reads } = started();
    read(3);
    append(4, 7);
    append(8);
    expect([read(3), read(4), read(3, 2), read(8)]).toEqual([[4, 7, 8], [7, 8], [4, 7], []]);
    expect(reads()).toBe(1);
  });

  it('misses nothing that another process has appended in between', () => {
    const { read, append, appendElsewhere } = started();
    read(3);
    appendElsewhere(4);
    append(5);
    expect(read(3)).toEqual([4, 5]);
    append(6);
    expect(read(5)).toEqual([6]);
  });

  it('gives once what somebody has read before it was told of', () => {
    const { positions, shared, read } = started();
    positions.push(4);
    read(3);
    shared.appended(TOPIC, [{ position: 4 } as LoggedEvent, { position: 5 } as LoggedEvent], 1);
    expect(read(3)).toEqual([4, 5]);
  });

  it('leaves nothing out and gives nothing twice, whoever appends and reads in whatever order', () => {
    const what = fc.constantFrom('commit', 'tell', 'append elsewhere', 'look for others', 'read', 'read', 'read');
    const step = fc.record({ what, added: fc.constantFrom(1, 2, 3, 4, 140), reader: fc.nat({ max: 2 }), limit: fc.constantFrom(2, 128, 128) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const { positions, shared, read, commit, appendElsewhere } = started();
        const untold: (() => void)[] = [];
        const seen: number[][] = [[], [], []];
        const next = (reader: number, limit: number) => {
          const before = seen[reader]!;
          const rows = read(before.at(-1) ?? 0, limit);
          expect(rows).toEqual(positions.slice(before.length, before.length + rows.length));
          before.push(...rows);
          return rows.length;
        };
        for (const { what, added, reader, limit } of steps) {
          const end = positions.at(-1)!;
          if (what === 'commit') untold.push(commit(...Array.from({ length: added }, (_, index) => end + 1 + index)));
          else if (what === 'tell') untold.shift()?.();
          else if (what === 'append elsewhere') appendElsewhere(end + 2);
          else if (what === 'look for others') shared.forgetAll();
          else next(reader, limit);
        }
        untold.forEach((tell) => tell());
        shared.forgetAll();
        for (const reader of [0, 1, 2]) while (next(reader, 128) > 0);
        expect(seen).toEqual([positions, positions, positions]);
      }),
    );
  });

  it('keeps so many events at most, and reads those before them again', () => {
    const { read, append, reads } = started();
    read(3);
    const added = Array.from({ length: 300 }, (_, index) => 4 + index);
    for (const position of added) append(position);
    expect([read(280, 100), read(3, 500)]).toEqual([added.slice(277), added]);
    expect(reads()).toBe(2);
  });

  it('reads again after another change', () => {
    const { positions, shared, read } = started();
    read(0);
    positions.shift();
    shared.forgetAll();
    expect(read(0)).toEqual([2, 3]);
  });
});
