import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/platform/contract';
import { Gate, QUICK_RETRY, QUICK_TIMES, SHORT_LEASES, type QueueFixture } from './queue-fixture.js';

export function describeLeasing(fixture: QueueFixture): void {
  describe('a lease', () => {
    it('holds as long as its task runs, however long that is', async () => {
      const [one, other] = [await fixture.connect(), await fixture.connect()];
      const gate = new Gate();
      let begun = 0;
      const worker = fixture.worker(({ id }, { signal }) => ((begun += 1), gate.pass(id, signal)), { capacity: 2 });
      await one.work(worker);
      await other.work(worker);
      await one.add('work', [fixture.task('long')]);
      await eventually(() => gate.inside.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 1.2 * QUICK_TIMES.leaseMs));
      expect(begun).toBe(1);
      gate.open();
      await eventually(async () => (await one.backlog('work')).running === 0);
    });

    it('of a worker that sends no heartbeats is taken over, and its late end changes nothing', async () => {
      const gate = new Gate();
      const outcomes: string[] = [];
      let takenOver = 0;
      const silent = await fixture.connect({ times: { ...SHORT_LEASES, heartbeatMs: 600_000 }, observer: { ended: (_, outcome) => void outcomes.push(`silent ${outcome}`) } });
      const tokens: number[] = [];
      await silent.work(fixture.worker(async ({ id, fencingToken }) => {
        tokens.push(fencingToken);
        await gate.pass(id, new AbortController().signal);
      }));
      await silent.add('work', [fixture.task('a')]);
      await eventually(() => gate.inside.length === 1);
      const second = new Gate();
      const live = await fixture.connect({ observer: { ended: (_, outcome) => void outcomes.push(`live ${outcome}`), takenOver: (_, count) => (takenOver += count) } });
      await live.work(fixture.worker(({ id, fencingToken }, { signal }) => (tokens.push(fencingToken), second.pass(id, signal))));
      await eventually(() => second.inside.length === 1, 'taking over');
      expect(takenOver).toBe(1);
      gate.open();
      await eventually(() => outcomes.length === 1);
      expect(outcomes).toEqual(['silent lease lost']);
      expect(await live.backlog('work')).toMatchObject({ running: 1 });
      second.open();
      await eventually(() => outcomes.length === 2);
      expect(outcomes).toEqual(['silent lease lost', 'live completed']);
      expect(tokens).toEqual([tokens[0], expect.any(Number)]);
      expect(tokens[1]).toBeGreaterThan(tokens[0] ?? Infinity);
    });

    it.each([['its last try failed', {}], ['a try failed for good', { retry: { ...QUICK_RETRY, maxAttempts: 5 }, isFinal: () => true }]])('that is lost lets its former worker give nothing up: %s', async (_what, limits) => {
      const gate = new Gate();
      const outcomes: string[] = [];
      const givenUp: string[] = [];
      const silent = await fixture.connect({ times: { ...SHORT_LEASES, heartbeatMs: 600_000 }, observer: { ended: (_, outcome) => void outcomes.push(outcome) } });
      const failing = fixture.worker(
        async ({ id }) => {
          await gate.pass(id, new AbortController().signal);
          throw new Error('no');
        },
        { retry: { ...QUICK_RETRY, maxAttempts: 1 }, giveUp: async ({ id }) => (givenUp.push(id), 'settled'), ...limits },
      );
      await silent.work(failing);
      await silent.add('work', [fixture.task('a')]);
      await eventually(() => gate.inside.length === 1);
      const second = new Gate();
      const live = await fixture.connect();
      await live.work(fixture.worker(({ id }, { signal }) => second.pass(id, signal)));
      await eventually(() => second.inside.length === 1, 'taking over');
      gate.open();
      await eventually(() => outcomes.length === 1);
      expect({ outcomes, givenUp }).toEqual({ outcomes: ['lease lost'], givenUp: [] });
      second.open();
      await eventually(async () => (await live.backlog('work')).running === 0);
      expect(await live.backlog('work')).toMatchObject({ waiting: 0, dead: 0 });
    });

    it('that ran out, but that no other worker got, is kept', async () => {
      const gate = new Gate();
      const outcomes: string[] = [];
      const slow = await fixture.connect({ times: { ...QUICK_TIMES, leaseMs: 100, heartbeatMs: 600 }, observer: { ended: (_, outcome) => void outcomes.push(outcome) } });
      await slow.work(fixture.worker(({ id }, { signal }) => gate.pass(id, signal)));
      await slow.add('work', [fixture.task('a')]);
      await eventually(() => gate.inside.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      gate.open();
      await eventually(() => outcomes.length === 1);
      expect(outcomes).toEqual(['completed']);
    });
  });
}
