import { describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '../event-bus.js';
import type { BusFixture } from './bus-fixture.js';
import { eventually } from '@parlance/platform/contract';

export function describeFollowing(fixture: BusFixture): void {
  describe('a follower', () => {
    const follow = (job: string, show: (event: EventEnvelope<'job.progressed'>) => void) => ({
      topic: 'parlance.jobs.v1' as const,
      handlers: { 'job.progressed': (event: EventEnvelope<'job.progressed'>) => void (event.key === job && show(event)) },
    });

    it('sees all that is published from now on, as does every other', async () => {
      const job = fixture.name('job');
      const first: unknown[] = [];
      const second: unknown[] = [];
      await fixture.bus.publish([fixture.event(job)]);
      await fixture.bus.follow(follow(job, (event) => first.push(event)));
      const other = await fixture.connect();
      await other.follow(follow(job, (event) => second.push(event)));
      const events = [fixture.event(job), fixture.event(job, 'job.started'), fixture.event(job)];
      await fixture.bus.publish(events);
      await eventually(() => first.length >= 2 && second.length >= 2);
      expect([first, second]).toEqual([[events[0], events[2]], [events[0], events[2]]]);
    });

    it('goes on when its handler throws, and stops when it is closed', async () => {
      const job = fixture.name('job');
      const seen: string[] = [];
      const witness: string[] = [];
      const subscription = await fixture.bus.follow(
        follow(job, (event) => {
          seen.push(event.id);
          throw new Error('looking away');
        }),
      );
      await fixture.bus.follow(follow(job, (event) => witness.push(event.id)));
      await fixture.bus.publish([fixture.event(job), fixture.event(job)]);
      await eventually(() => seen.length === 2 && witness.length === 2);
      await subscription.close();
      await fixture.bus.publish([fixture.event(job)]);
      await eventually(() => witness.length === 3);
      expect(seen).toHaveLength(2);
    });
  });
}
