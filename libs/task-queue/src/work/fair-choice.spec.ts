import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { laneName, type Lane } from '../store/lane.js';
import { QueueView } from './queue-view.js';

/** As of a worker. */
const MAX_CLAIMS = 16;

/** A queue whose backlogs are given by lane, with so many places; tasks end in the order given. */
class Simulation {
  readonly running: Lane[] = [];
  readonly served: Lane[] = [];
  private readonly view = new QueueView();
  private readonly backlog = new Map<string, number>();

  constructor(private readonly places: number) {}

  add(lane: Lane, count: number): void {
    this.backlog.set(laneName(lane), (this.backlog.get(laneName(lane)) ?? 0) + count);
    if (count > 0) this.view.added(lane);
  }

  /** As a worker does: the store answers a batch of claims only when all of it was taken. */
  fill(): void {
    for (;;) {
      const batch = this.takeBatch();
      if (batch.length === 0) return;
      for (const lane of batch) this.answer(lane);
    }
  }

  end(at: number): void {
    const [ended] = this.running.splice(at % this.running.length, 1);
    if (ended) this.view.ended(ended);
    this.fill();
  }

  get waiting(): number {
    return [...this.backlog.values()].reduce((sum, count) => sum + count, 0);
  }

  runningOf(accountId: string): number {
    return this.running.filter((lane) => lane.accountId === accountId).length;
  }

  private takeBatch(): Lane[] {
    const batch: Lane[] = [];
    while (batch.length < Math.min(this.places - this.running.length, MAX_CLAIMS)) {
      const lane = this.view.take(() => true);
      if (!lane) break;
      batch.push(lane);
    }
    return batch;
  }

  private answer(lane: Lane): void {
    const left = this.backlog.get(laneName(lane)) ?? 0;
    if (left === 0) return this.view.emptied(lane);
    this.view.claimed(lane);
    this.backlog.set(laneName(lane), left - 1);
    this.running.push(lane);
    this.served.push(lane);
  }
}

const lanes = fc.array(fc.record({ accountId: fc.constantFrom('a', 'b', 'c', 'd'), group: fc.constantFrom('1', '2', '3'), count: fc.integer({ min: 0, max: 30 }) }), { maxLength: 12 });
const places = fc.integer({ min: 1, max: 12 });
const ends = fc.array(fc.nat(), { maxLength: 60 });

describe('the fair choice', () => {
  it('leaves no place free while any task waits', () => {
    fc.assert(
      fc.property(lanes, places, ends, (backlogs, count, endings) => {
        const queue = new Simulation(count);
        for (const lane of backlogs) queue.add(lane, lane.count);
        queue.fill();
        for (const ending of endings) {
          expect(queue.waiting === 0 || queue.running.length === count).toBe(true);
          if (queue.running.length > 0) queue.end(ending);
        }
      }),
    );
  });

  it('gives accounts with enough work places that differ by one at most, once as many tasks have ended as there are places', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 4 }), places, (accounts, count) => {
        const queue = new Simulation(count);
        const names = Array.from({ length: accounts }, (_, index) => `account_${index}`);
        queue.add({ accountId: names[0] ?? '', group: 'first' }, 1000);
        queue.fill();
        expect(queue.runningOf(names[0] ?? '')).toBe(count);
        for (const name of names.slice(1)) queue.add({ accountId: name, group: 'later' }, 1000);
        // Each task that ran alone ends once.
        for (let ended = 0; ended < count; ended += 1) queue.end(0);
        const shares = () => names.map((name) => queue.runningOf(name));
        expect(Math.max(...shares()) - Math.min(...shares())).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('gives accounts with enough work equal places of an idle worker, however many groups their tasks are in', () => {
    const groups = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(groups, fc.integer({ min: 1, max: 40 }), (groupCounts, count) => {
        const queue = new Simulation(count);
        groupCounts.forEach((groupCount, account) => {
          for (let group = 0; group < groupCount; group += 1) queue.add({ accountId: `account_${account}`, group: `${group}` }, Math.ceil(count / groupCount));
        });
        queue.fill();
        const shares = groupCounts.map((_, account) => queue.runningOf(`account_${account}`));
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('serves accounts, and the groups of an account, in turns where one task runs at a time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 }), (accounts, groups) => {
        const queue = new Simulation(1);
        for (let account = 0; account < accounts; account += 1) for (let group = 0; group < groups; group += 1) queue.add({ accountId: `a${account}`, group: `g${group}` }, 100);
        queue.fill();
        for (let ended = 1; ended < accounts * groups * 3; ended += 1) queue.end(0);
        const counts = Map.groupBy(queue.served, laneName);
        expect([...counts.values()].map(({ length }) => length)).toEqual(Array.from({ length: accounts * groups }, () => 3));
      }),
    );
  });
});
