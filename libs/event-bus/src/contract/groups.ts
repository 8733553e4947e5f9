import { describe, expect, it } from '@jest/globals';
import type { OutboxEvent } from '../event-bus.js';
import type { BusFixture } from './bus-fixture.js';
import { eventually } from '@parlance/platform/contract';

export function describeGroups(fixture: BusFixture): void {
  describe('a group', () => {
    it('gets what was published before it was known, and after, as it was given', async () => {
      const job = fixture.name('job');
      const events = [1, 2, 3].map((sequence) => fixture.event(job, 'job.progressed', sequence));
      const traced: OutboxEvent = { ...fixture.event(job), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
      const seen: OutboxEvent[] = [];
      await fixture.bus.publish(events.slice(0, 2));
      await fixture.bus.subscribe(fixture.consumer([job], ({ event }) => void seen.push(event)));
      await fixture.bus.publish([...events.slice(2), traced]);
      await eventually(() => seen.length === 4);
      expect(seen).toEqual([...events, traced]);
    });

    it('gets every event once, whatever other groups do', async () => {
      const job = fixture.name('job');
      const first: string[] = [];
      const second: string[] = [];
      await fixture.bus.subscribe(fixture.consumer([job], ({ event }) => void first.push(event.id)));
      await fixture.bus.subscribe(fixture.consumer([job], ({ event }) => void second.push(event.id)));
      const events = Array.from({ length: 20 }, () => fixture.event(job));
      await fixture.bus.publish(events);
      const ids = events.map(({ id }) => id);
      await eventually(() => first.length >= 20 && second.length >= 20);
      expect([first, second]).toEqual([ids, ids]);
    });

    it('shares its work among its subscribers', async () => {
      const jobs = Array.from({ length: 60 }, () => fixture.name('job'));
      const group = fixture.name('group');
      const shares = [new Set<string>(), new Set<string>()];
      let deliveries = 0;
      for (const share of shares) {
        const take = async (key: string) => {
          deliveries += 1;
          share.add(key);
          await new Promise((resolve) => setImmediate(resolve));
        };
        await fixture.bus.subscribe(fixture.consumer(jobs, ({ event }) => take(event.key), { group, concurrency: 1 }));
      }
      await fixture.bus.publish(jobs.map((job) => fixture.event(job)));
      await eventually(() => deliveries >= jobs.length);
      expect(deliveries).toBe(jobs.length);
      expect(shares.every(({ size }) => size > 0)).toBe(true);
    });

    it('handles as many at once as it says, be they ever so many', async () => {
      const jobs = Array.from({ length: 1024 }, () => fixture.name('job'));
      const running = new Set<string>();
      let open: () => void = () => {};
      const opened = new Promise<void>((resolve) => (open = resolve));
      const handle = async (key: string) => {
        running.add(key);
        await opened;
      };
      await fixture.bus.subscribe(fixture.consumer(jobs, ({ event }) => handle(event.key), { concurrency: jobs.length }));
      await fixture.bus.publish(jobs.map((job) => fixture.event(job)));
      await eventually(() => running.size === jobs.length, 'all at once').finally(open);
    });

    it('goes on where it stopped, and hears nothing twice', async () => {
      const job = fixture.name('job');
      const [before, after] = [fixture.event(job), fixture.event(job)] as const;
      const seen: string[] = [];
      const consumer = fixture.consumer([job], ({ event }) => void seen.push(event.id));
      const subscription = await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([before]);
      await eventually(() => seen.length === 1);
      await subscription.close();
      await fixture.bus.publish([after]);
      const other = await fixture.connect();
      await other.subscribe(consumer);
      await eventually(() => seen.length >= 2);
      expect(seen).toEqual([before.id, after.id]);
    });

    it('is done with types it has no handler for', async () => {
      const job = fixture.name('job');
      const seen: string[] = [];
      const consumer = fixture.consumer([job], ({ event }) => void seen.push(event.type));
      const first = await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([fixture.event(job, 'job.started'), fixture.event(job)]);
      await eventually(() => seen.length === 1);
      await first.close();
      const handler = async (delivery: { event: OutboxEvent }) => void (delivery.event.key === job && seen.push(delivery.event.type));
      await fixture.bus.subscribe({ ...consumer, handlers: { 'job.started': handler, 'job.completed': handler } });
      await fixture.bus.publish([fixture.event(job, 'job.completed')]);
      await eventually(() => seen.length >= 2);
      expect(seen).toEqual(['job.progressed', 'job.completed']);
    });

    it('hears what another process publishes', async () => {
      const job = fixture.name('job');
      let heard = false;
      await fixture.bus.subscribe(fixture.consumer([job], () => void (heard = true)));
      const other = await fixture.connect();
      await other.publish([fixture.event(job)]);
      await eventually(() => heard);
    });
  });
}
