import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { BusFixture } from './bus-fixture.js';
import { eventually } from '@parlance/platform/contract';

interface Plan {
  key: number;
  /** Tries that fail before one works. */
  failures: number;
  turns: number;
}

const plans: fc.Arbitrary<Plan[]> = fc.array(
  fc.record({ key: fc.nat({ max: 5 }), failures: fc.constantFrom(0, 0, 0, 1, 2), turns: fc.nat({ max: 3 }) }),
  { minLength: 1, maxLength: 40 },
);

export function describeOrder(fixture: BusFixture): void {
  describe('order', () => {
    it('holds within a key, whatever fails and however many run at once', async () => {
      const planOf = new Map<string, Plan>();
      const handled: { key: string; id: string }[] = [];
      const running = new Set<string>();
      let overlapped = false;
      await fixture.bus.subscribe({
        group: fixture.name('group'),
        topic: 'parlance.jobs.v1',
        concurrency: 8,
        retry: { maxAttempts: 3, initialDelayMs: 1, maxDelayMs: 2 },
        handlers: {
          'job.progressed': async ({ event: { id, key }, attempt }) => {
            const plan = planOf.get(id);
            if (!plan) return;
            overlapped ||= running.has(key);
            running.add(key);
            for (let turn = 0; turn < plan.turns; turn += 1) await nextTurn();
            running.delete(key);
            if (attempt <= plan.failures) throw new Error('not yet');
            handled.push({ key, id });
          },
        },
      });

      await fc.assert(
        fc.asyncProperty(plans, async (run) => {
          handled.length = 0;
          const jobs = Array.from({ length: 6 }, () => fixture.name('job'));
          const events = run.map((plan) => {
            const event = fixture.event(jobs[plan.key] ?? '');
            planOf.set(event.id, plan);
            return event;
          });
          const middle = Math.floor(events.length / 2);
          await Promise.all([fixture.bus.publish(events.slice(0, middle)), fixture.bus.publish(events.slice(middle))]);
          await eventually(() => handled.length >= events.length);
          for (const job of jobs) {
            const expected = events.filter(({ key }) => key === job).map(({ id }) => id);
            expect(handled.filter(({ key }) => key === job).map(({ id }) => id)).toEqual(expected);
          }
        }),
        { numRuns: 25 },
      );
      expect(overlapped).toBe(false);
    });

    it('leaves keys independent: several run at once', async () => {
      const jobs = Array.from({ length: 24 }, () => fixture.name('job'));
      let running = 0;
      let together = 0;
      await fixture.bus.subscribe(
        fixture.consumer(jobs, async () => {
          running += 1;
          together = Math.max(together, running);
          await eventually(() => together > 1, 'a second handler beside the first');
          running -= 1;
        }),
      );
      await fixture.bus.publish(jobs.map((job) => fixture.event(job)));
      await eventually(() => together > 1 && running === 0);
      expect(together).toBeLessThanOrEqual(8);
    });
  });
}
