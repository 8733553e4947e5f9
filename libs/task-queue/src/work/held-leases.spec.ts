import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import { eventually } from '../contract/eventually.js';
import { QUICK_TIMES } from '../contract/queue-fixture.js';
import type { TaskStore } from '../store/task-store.js';
import { HeldLeases } from './held-leases.js';

const LEASE = { queue: 'work', id: 'a', fencingToken: 1, group: 'acc_1' };

describe('the heartbeats of a process', () => {
  it.each(['takeOver', 'maintain'] as const)('go on while the store does not answer %s', async (slow) => {
    let heartbeats = 0;
    let asked = 0;
    const store: Pick<TaskStore, 'heartbeat' | 'takeOver' | 'maintain' | 'leave'> = {
      heartbeat: async () => ((heartbeats += 1), []),
      takeOver: async () => 0,
      maintain: async () => {},
      leave: async () => {},
      [slow]: () => ((asked = heartbeats), new Promise<never>(() => {})),
    };
    const times = { ...QUICK_TIMES, heartbeatMs: 2, leaseMs: 60_000 };
    const leases = new HeldLeases({ store: store as TaskStore, worker: 'one', times, log: silentLogger(), onTakenOver: () => {} });
    leases.announce('work', 1);
    const lease = leases.hold(LEASE);
    await eventually(() => asked > 0, 'the first question');
    await eventually(() => heartbeats > asked + 20, 'more heartbeats');
    expect(lease.isLost).toBe(false);
    await leases.close();
  });
});
