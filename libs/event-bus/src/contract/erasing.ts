import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '@parlance/contracts';
import { systemClock, ulidGenerator } from '@parlance/platform';
import type { Consumer, OutboxEvent } from '../event-bus.js';
import { stampEvent } from '../event-json.js';
import { QUICK_RETRY, type BusFixture } from './bus-fixture.js';
import { eventually } from '@parlance/platform/contract';

const chunk = (jobId: string): OutboxEvent =>
  stampEvent(
    { type: 'chunk.requested', data: EVENTS['chunk.requested'].codec.fromJSON({ jobId, index: 3 }) },
    { clock: systemClock, ids: ulidGenerator(), source: 'contract' },
  );

const report = (jobId: string): OutboxEvent =>
  stampEvent(
    { type: 'erasure.reported', data: EVENTS['erasure.reported'].codec.fromJSON({ jobId, erasureId: 'ers_1', what: 'media', where: 'search', count: 1 }) },
    { clock: systemClock, ids: ulidGenerator(), source: 'contract' },
  );

export function describeErasing(fixture: BusFixture): void {
  describe('erasing a key', () => {
    it('drops its dead letters and those of keys below it, but not those of others or of the event that tells of it', async () => {
      const [job, other] = [fixture.name('job'), fixture.name('job')] as const;
      const [letter, kept, deleted, below] = [fixture.event(job), fixture.event(other), fixture.event(job, 'job.deleted'), chunk(job)];
      const ids = [letter, kept, deleted, below].map(({ id }) => id);
      const fail = async ({ event }: { event: OutboxEvent }) => {
        if (ids.includes(event.id)) throw new Error('ill');
      };
      const group = fixture.name('group');
      const jobs: Consumer = { group, topic: 'parlance.jobs.v1', retry: QUICK_RETRY, handlers: { 'job.progressed': fail, 'job.deleted': fail } };
      await fixture.bus.subscribe(jobs);
      await fixture.bus.subscribe({ group, topic: 'parlance.chunk-tasks.v1', retry: QUICK_RETRY, handlers: { 'chunk.requested': fail } });
      await fixture.bus.publish([letter, kept, deleted, below]);
      const letters = async () => (await fixture.bus.deadLetters.list({ group })).map(({ event }) => event.id);
      await eventually(async () => (await letters()).length === 4);
      await fixture.bus.erase(job, { except: deleted.id });
      expect((await letters()).toSorted()).toEqual([kept.id, deleted.id].toSorted());
      await fixture.bus.erase(job, { except: deleted.id });
    });

    it('takes nothing from a group that is behind but the past of the key', async () => {
      const [job, other] = [fixture.name('job'), fixture.name('job')] as const;
      const events = [fixture.event(job), fixture.event(other), fixture.event(job, 'job.deleted')];
      await fixture.bus.publish(events);
      await fixture.bus.erase(job, { except: events[2]?.id ?? '' });
      await fixture.bus.publish([fixture.event(other)]);
      const seen: string[] = [];
      const see = async ({ event }: { event: OutboxEvent }) => void ([job, other].includes(event.key) && seen.push(`${event.key} ${event.type}`));
      await fixture.bus.subscribe({ group: fixture.name('group'), topic: 'parlance.jobs.v1', handlers: { 'job.progressed': see, 'job.deleted': see } });
      await eventually(() => seen.filter((one) => one.startsWith(other)).length === 2 && seen.includes(`${job} job.deleted`));
    });

    it('keeps a report of the erasure that fails, before or after it, to be replayed', async () => {
      const job = fixture.name('job');
      const [early, late] = [report(job), report(job)];
      const heard: string[] = [];
      let well = false;
      const group = fixture.name('group');
      const hear = async ({ event }: { event: OutboxEvent }) => {
        if (event.key === job && !well) throw new Error('the disk is full');
        if (event.key === job) heard.push(event.id);
      };
      await fixture.bus.subscribe({ group, topic: 'parlance.erasures.v1', retry: QUICK_RETRY, handlers: { 'erasure.reported': hear } });
      const letters = () => fixture.bus.deadLetters.list({ group });
      await fixture.bus.publish([early]);
      await eventually(async () => (await letters()).length === 1);
      await fixture.bus.erase(job, { except: 'evt_deleted' });
      await fixture.bus.publish([late]);
      await eventually(async () => (await letters()).length === 2, 'a letter of each report');
      well = true;
      for (const { id } of await letters()) await fixture.bus.deadLetters.replay(id);
      await eventually(() => heard.length === 2);
      expect(heard.toSorted()).toEqual([early.id, late.id].toSorted());
    });

    it('leaves no dead letter of what fails after it, in whatever process', async () => {
      const job = fixture.name('job');
      const group = fixture.name('group');
      const events = [fixture.event(job), fixture.event(job)];
      let fail: ((error: Error) => void) | undefined;
      let next = false;
      const other = await fixture.connect();
      await other.subscribe(
        fixture.consumer(
          [job],
          ({ event }) => {
            next = event.id === events[1]?.id;
            return next ? undefined : new Promise((_, reject) => (fail = reject));
          },
          { group, retry: { ...QUICK_RETRY, maxAttempts: 1 } },
        ),
      );
      await fixture.bus.publish(events.slice(0, 1));
      await eventually(() => fail !== undefined);
      await fixture.bus.erase(job, { except: 'evt_deleted' });
      fail?.(new Error('ill'));
      await fixture.bus.publish(events.slice(1));
      // The key goes on once its first event is a dead letter, or none.
      await eventually(() => next);
      await eventually(async () => (await other.deadLetters.list({ group })).length === 0, 'no dead letter');
    });
  });
}
