import { afterEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import { eventually } from '@parlance/platform/contract';
import { QUICK_TIMES } from '../contract/queue-fixture.js';
import type { TaskStore } from '../store/task-store.js';
import { HeldLeases } from './held-leases.js';

const LEASE = { queue: 'work', id: 'a', fencingToken: 1, group: 'acc_1' };

type Upkeep = Pick<TaskStore, 'heartbeat' | 'takeOver' | 'maintain' | 'leave'>;

const storeOf = (calls: Partial<Upkeep>): TaskStore => ({ heartbeat: async () => [], takeOver: async () => 0, maintain: async () => {}, leave: async () => {}, ...calls }) satisfies Upkeep as unknown as TaskStore;

describe('the heartbeats of a process', () => {
  it.each(['takeOver', 'maintain'] as const)('go on while the store does not answer %s', async (slow) => {
    let heartbeats = 0;
    let asked = 0;
    // Answered at last: the wait for it would keep the test's process for a minute.
    const answer = Promise.withResolvers<number>();
    const store = storeOf({ heartbeat: async () => ((heartbeats += 1), []), [slow]: () => ((asked = heartbeats), answer.promise) });
    const times = { ...QUICK_TIMES, heartbeatMs: 2, leaseMs: 60_000 };
    const leases = new HeldLeases({ store, worker: 'one', times, log: silentLogger(), onTakenOver: () => {} });
    leases.announce('work', 1);
    const lease = leases.hold(LEASE);
    await eventually(() => asked > 0, 'the first question');
    await eventually(() => heartbeats > asked + 20, 'more heartbeats');
    expect(lease.isLost).toBe(false);
    await leases.close();
    answer.resolve(0);
  });
});

describe('the upkeep of a process', () => {
  const times = { ...QUICK_TIMES, heartbeatMs: 2 };
  let leases: HeldLeases;
  afterEach(() => leases.close());

  it('begins no second time while the first goes on, however long that takes', async () => {
    let heartbeats = 0;
    let takeOvers = 0;
    const warnings: unknown[] = [];
    const store = storeOf({ heartbeat: async () => ((heartbeats += 1), []), takeOver: () => ((takeOvers += 1), new Promise<never>(() => {})) });
    const log = Object.assign(silentLogger(), { warn: (warning: unknown) => void warnings.push(warning) });
    leases = new HeldLeases({ store, worker: 'one', times: { ...times, leaseMs: 20 }, log, onTakenOver: () => {} });
    leases.announce('work', 1);
    await eventually(() => warnings.length > 0, 'the warning that it is late');
    const late = heartbeats;
    await eventually(() => heartbeats > late + 10, 'more heartbeats');
    expect(takeOvers).toBe(1);
  });

  it('maintains the store also when the take-overs before are at work at each beat on which that is due', async () => {
    let heartbeats = 0;
    let maintained = 0;
    let end = () => {};
    const heartbeat = async () => {
      heartbeats += 1;
      if (heartbeats % 10 === 1) end();
      return [];
    };
    const takeOver = () => new Promise<number>((resolve) => (end = () => resolve(0)));
    const store = storeOf({ heartbeat, takeOver, maintain: async () => void (maintained += 1) });
    leases = new HeldLeases({ store, worker: 'one', times, log: silentLogger(), onTakenOver: () => {} });
    leases.announce('work', 1);
    await eventually(() => heartbeats > 45, 'four rounds');
    expect(maintained).toBeGreaterThan(0);
    await leases.close();
    end();
  });
});
