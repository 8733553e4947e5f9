import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import type { OutboxEvent } from '../event-bus.js';
import { QUICK_RETRY, type BusFixture } from './bus-fixture.js';
import { eventually } from '@parlance/platform/contract';

export function describeFailures(fixture: BusFixture): void {
  describe('a handler that fails', () => {
    it('is tried again with the same event, counting, while other keys go on', async () => {
      const stuck = fixture.name('job');
      const others = Array.from({ length: 24 }, () => fixture.name('job'));
      const attempts: number[] = [];
      const ids = new Set<string>();
      let othersDone = 0;
      const consumer = fixture.consumer(
        [stuck, ...others],
        ({ event, attempt, maxAttempts }) => {
          if (event.key !== stuck) {
            othersDone += 1;
            return;
          }
          ids.add(event.id);
          attempts.push(attempt);
          expect(maxAttempts).toBe(1000);
          if (othersDone === 0) throw new Error('the others first');
        },
        { retry: { maxAttempts: 1000, initialDelayMs: 20, maxDelayMs: 20 } },
      );
      await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([fixture.event(stuck)]);
      await eventually(() => attempts.length >= 2);
      await fixture.bus.publish(others.map((job) => fixture.event(job)));
      await eventually(() => othersDone === others.length);
      expect(attempts).toEqual(attempts.map((_, index) => index + 1));
      expect(ids.size).toBe(1);
    });

    it('loses the event to the dead letters after the last try, and the key moves on', async () => {
      const job = fixture.name('job');
      const [bad, good] = [fixture.event(job), fixture.event(job)] as const;
      const givenUp: unknown[] = [];
      let deadLettered = 0;
      const handled: string[] = [];
      const error = new AppError({ kind: 'unavailable', code: 'engine_failed', message: 'The engine is away.' });
      const consumer = fixture.consumer(
        [job],
        ({ event }) => {
          if (event.id === bad.id) throw error;
          handled.push(event.id);
        },
        { giveUp: async (event, cause) => void givenUp.push([event, cause]), deadLettered: () => void (deadLettered += 1) },
      );
      await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([bad, good]);
      await eventually(() => handled.length === 1);
      expect(handled).toEqual([good.id]);
      expect([givenUp, deadLettered]).toEqual([[[bad, error]], 1]);
      const [letter, ...more] = await fixture.bus.deadLetters.list({ group: consumer.group });
      expect(more).toEqual([]);
      expect(letter).toMatchObject({ group: consumer.group, topic: 'parlance.jobs.v1', event: bad, attempts: 3 });
      expect(letter?.reason).toBe('engine_failed: The engine is away.');
      expect(Date.parse(letter?.failedAt ?? '')).not.toBeNaN();
    });

    it.each<[string, Error]>([
      ['a server of ours is away', new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store is unavailable.' })],
      ['the disk is full', Object.assign(new Error('write'), { code: 'ENOSPC' })],
      ['descriptors are used up, behind the error of an engine', new AppError({ kind: 'unavailable', code: 'engine_failed', message: 'Not started.', cause: Object.assign(new Error('spawn'), { code: 'EMFILE' }) })],
    ])('is tried on beyond its tries while %s', async (_what, outage) => {
      const job = fixture.name('job');
      const attempts: number[] = [];
      let isOver = false;
      const consumer = fixture.consumer([job], ({ attempt }) => {
        attempts.push(attempt);
        isOver = attempt > 2 * QUICK_RETRY.maxAttempts;
        if (!isOver) throw outage;
      });
      await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([fixture.event(job)]);
      await eventually(() => isOver);
      expect(attempts).toEqual(attempts.map((_, index) => index + 1));
      expect(await fixture.bus.deadLetters.list({ group: consumer.group })).toEqual([]);
    });

    it('leaves no dead letter of an event that giving up has settled, and the key moves on', async () => {
      const job = fixture.name('job');
      const [settled, good] = [fixture.event(job), fixture.event(job)] as const;
      const givenUp: string[] = [];
      let deadLettered = 0;
      const handled: string[] = [];
      const consumer = fixture.consumer(
        [job],
        ({ event }) => {
          if (event.id === settled.id) throw new Error('nothing usable');
          handled.push(event.id);
        },
        { giveUp: async (event) => (givenUp.push(event.id), 'settled'), deadLettered: () => void (deadLettered += 1) },
      );
      await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([settled, good]);
      await eventually(() => handled.length === 1);
      expect([givenUp, deadLettered]).toEqual([[settled.id], 0]);
      expect(await fixture.bus.deadLetters.list({ group: consumer.group })).toEqual([]);
    });

    it('makes a dead letter even when giving up fails', async () => {
      const job = fixture.name('job');
      let deadLettered = 0;
      const consumer = fixture.consumer([job], () => Promise.reject(new Error('no')), { giveUp: () => Promise.reject(new Error('nor this')), deadLettered: () => void (deadLettered += 1) });
      await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([fixture.event(job)]);
      await eventually(() => deadLettered === 1);
      const [letter] = await fixture.bus.deadLetters.list({ group: consumer.group });
      expect(letter?.reason).toBe('internal: no');
    });

    it('never gets an event of a type that nobody knows: the bus refuses it, with the others it was given', async () => {
      const job = fixture.name('job');
      const seen: string[] = [];
      await fixture.bus.subscribe(fixture.consumer([job], ({ event }) => void seen.push(event.id)));
      const [good, after] = [fixture.event(job), fixture.event(job)] as const;
      const unknown = { ...fixture.event(job), type: 'job.exploded' } as unknown as OutboxEvent;
      await expect(fixture.bus.publish([good, unknown])).rejects.toMatchObject({ kind: 'invalid', code: 'event_unknown', retryable: false });
      await fixture.bus.publish([after]);
      await eventually(() => seen.length > 0);
      expect(seen).toEqual([after.id]);
    });

    it('fails a try by taking longer than its deadline', async () => {
      const job = fixture.name('job');
      const reasons: unknown[] = [];
      let done = false;
      const consumer = fixture.consumer(
        [job],
        async ({ attempt, signal }) => {
          if (attempt === 2) {
            expect(signal.aborted).toBe(false);
            done = true;
            return;
          }
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          reasons.push(signal.reason);
        },
        { deadlineMs: 20 },
      );
      await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([fixture.event(job)]);
      await eventually(() => done);
      expect(reasons).toEqual([expect.objectContaining({ kind: 'timeout', code: 'handler_timeout' })]);
    });

    it('does not hold up its key for ever by ignoring its signal', async () => {
      const job = fixture.name('job');
      let done = false;
      const consumer = fixture.consumer(
        [job],
        async ({ attempt }) => {
          if (attempt === 1) await new Promise(() => {});
          done = true;
        },
        { deadlineMs: 20, concurrency: 1 },
      );
      await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([fixture.event(job)]);
      await eventually(() => done);
    });
  });
}
