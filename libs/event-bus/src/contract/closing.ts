import { describe, expect, it } from '@jest/globals';
import type { BusFixture } from './bus-fixture.js';
import { eventually } from './eventually.js';

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
