import { describe, expect, it } from '@jest/globals';
import type { BusFixture } from './bus-fixture.js';
import { eventually } from '@parlance/platform/contract';

export function describeClosing(fixture: BusFixture): void {
  describe('closing', () => {
    it('aborts what runs, waits for it, and delivers again what did not finish', async () => {
      const job = fixture.name('job');
      const events = [fixture.event(job), fixture.event(job)];
      let started = false;
      let left = false;
      const consumer = fixture.consumer([job], async ({ signal }) => {
        started = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await new Promise((resolve) => setImmediate(resolve));
        left = true;
        signal.throwIfAborted();
      });
      const subscription = await fixture.bus.subscribe(consumer);
      await fixture.bus.publish(events);
      await eventually(() => started);
      await subscription.close();
      expect(left).toBe(true);

      const seen: [string, number][] = [];
      await fixture.bus.subscribe({
        ...consumer,
        handlers: { 'job.progressed': async ({ event, attempt }) => void (event.key === job && seen.push([event.id, attempt])) },
      });
      await eventually(() => seen.length >= 2);
      expect(seen).toEqual(events.map(({ id }) => [id, 1]));
      expect(await fixture.bus.deadLetters.list({ group: consumer.group })).toEqual([]);
    });

    it('lets what runs end by itself where there is time for that, and begins nothing', async () => {
      const job = fixture.name('job');
      const [first, second] = [fixture.event(job), fixture.event(job)] as const;
      const bus = await fixture.connect({ drainMs: 60_000 });
      let end: (() => void) | undefined;
      const seen: [string, boolean][] = [];
      const consumer = fixture.consumer([job], async ({ event: { id }, signal }) => {
        if (id === first.id) await new Promise<void>((resolve) => (end = resolve));
        seen.push([id, signal.aborted]);
      });
      const subscription = await bus.subscribe(consumer);
      await bus.publish([first, second]);
      await eventually(() => end !== undefined);
      const closing = subscription.close();
      end?.();
      await closing;
      expect(seen).toEqual([[first.id, false]]);
      await fixture.bus.subscribe(consumer);
      await eventually(() => seen.length >= 2);
      expect(seen).toEqual([first, second].map(({ id }) => [id, false]));
    });

    it('takes back at once what only waits for its turn, without counting a try', async () => {
      const job = fixture.name('job');
      const event = fixture.event(job);
      const bus = await fixture.connect({ drainMs: 60_000 });
      let waits = false;
      const consumer = fixture.consumer([job], async ({ draining }) => {
        waits = true;
        await new Promise((_, reject) => draining.addEventListener('abort', () => reject(draining.reason as Error)));
      });
      const subscription = await bus.subscribe(consumer);
      await bus.publish([event]);
      await eventually(() => waits);
      await subscription.close();

      const seen: [string, number][] = [];
      await fixture.bus.subscribe({
        ...consumer,
        handlers: { 'job.progressed': async ({ event: { id, key }, attempt }) => void (key === job && seen.push([id, attempt])) },
      });
      await eventually(() => seen.length > 0);
      expect(seen).toEqual([[event.id, 1]]);
    });

    it('aborts what takes longer than that', async () => {
      const job = fixture.name('job');
      const bus = await fixture.connect({ drainMs: 20 });
      let started = false;
      let aborted = false;
      const consumer = fixture.consumer([job], async ({ signal }) => {
        started = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted = true;
      });
      const subscription = await bus.subscribe(consumer);
      await bus.publish([fixture.event(job)]);
      await eventually(() => started);
      await subscription.close();
      expect(aborted).toBe(true);
    });

    it('counts a handler that ends well all the same as done', async () => {
      const job = fixture.name('job');
      const [first, second] = [fixture.event(job), fixture.event(job)] as const;
      const seen: string[] = [];
      const consumer = fixture.consumer([job], async ({ event, signal }) => {
        seen.push(event.id);
        if (event.id === first.id) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      });
      const subscription = await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([first]);
      await eventually(() => seen.length === 1);
      await subscription.close();
      await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([second]);
      await eventually(() => seen.length >= 2);
      expect(seen).toEqual([first.id, second.id]);
    });

    it('leaves an event that waits for another try to the next subscriber', async () => {
      const job = fixture.name('job');
      let tries = 0;
      const consumer = fixture.consumer(
        [job],
        () => {
          tries += 1;
          if (tries === 1) throw new Error('not yet');
        },
        { retry: { maxAttempts: 5, initialDelayMs: 3_600_000, maxDelayMs: 3_600_000 } },
      );
      const subscription = await fixture.bus.subscribe(consumer);
      await fixture.bus.publish([fixture.event(job)]);
      await eventually(() => tries === 1);
      await subscription.close();
      await fixture.bus.subscribe(consumer);
      await eventually(() => tries === 2);
    });

    it('hands what one subscriber did not finish to another of its group', async () => {
      const job = fixture.name('job');
      const group = fixture.name('group');
      let started = false;
      let finished = false;
      const leaving = await fixture.bus.subscribe(
        fixture.consumer(
          [job],
          async ({ signal }) => {
            started = true;
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            signal.throwIfAborted();
          },
          { group },
        ),
      );
      await fixture.bus.publish([fixture.event(job)]);
      await eventually(() => started);
      await fixture.bus.subscribe(fixture.consumer([job], () => void (finished = true), { group }));
      await leaving.close();
      await eventually(() => finished);
    });

    it('does not wait for ever for a handler that ignores its signal', async () => {
      const job = fixture.name('job');
      let started = false;
      const subscription = await fixture.bus.subscribe(
        fixture.consumer([job], async () => {
          started = true;
          await new Promise(() => {});
        }),
      );
      await fixture.bus.publish([fixture.event(job)]);
      await eventually(() => started);
      await subscription.close();
    });

    it('can be asked for twice, and ends publishing', async () => {
      await fixture.bus.check();
      await Promise.all([fixture.bus.close(), fixture.bus.close()]);
      await expect(fixture.bus.publish([fixture.event(fixture.name('job'))])).rejects.toThrow();
      await expect(fixture.bus.check()).rejects.toThrow();
    });
  });
}
