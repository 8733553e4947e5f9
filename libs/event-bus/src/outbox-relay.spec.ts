import { describe, expect, it } from '@jest/globals';
import { EVENTS, type NewEvent } from '@parlance/contracts';
import { AppError, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import fc from 'fast-check';
import { eventually } from './contract/index.js';
import type { OutboxEvent } from './event-bus.js';
import { stampEvent } from './event-json.js';
import { TELLS_OF_ERASURE } from './erasable.js';
import { OutboxRelay, replayRefused } from './outbox-relay.js';
import type { OutboxSource, PendingEvents, RefusedEvent } from './outbox-source.js';

const ids = ulidGenerator();
const event = (jobId: string, type: 'job.created' | 'job.deleted' | 'erasure.reported' = 'job.created'): OutboxEvent =>
  stampEvent({ type, data: EVENTS[type].codec.fromJSON({ jobId }) } as NewEvent, { clock: systemClock, ids, source: 'test' });

class MemoryOutbox implements OutboxSource {
  readonly waiting: PendingEvents[] = [];
  looks = 0;
  private listener = () => {};

  /** @param tell false: as another process does it, or this one before it was killed */
  commit(events: OutboxEvent[], tell = true): void {
    this.waiting.push({ ref: ids.next('req'), events });
    if (tell) this.listener();
  }
  async pending(limit: number) {
    this.looks += 1;
    return this.waiting.slice(0, limit);
  }
  async settle(pending: readonly PendingEvents[]) {
    this.waiting.splice(0, pending.length);
  }
  readonly aside: RefusedEvent[] = [];
  async setAside(event: OutboxEvent, reason: string) {
    if (!this.aside.some(({ event: { id } }) => id === event.id)) this.aside.push({ event, reason, refusedAt: new Date().toISOString() });
  }
  async refused(limit = 100) {
    return this.aside.slice(0, limit);
  }
  async dropRefused(eventId: string) {
    const index = this.aside.findIndex(({ event }) => event.id === eventId);
    return index >= 0 && this.aside.splice(index, 1).length > 0;
  }
  async eraseRefused(key: string) {
    const kept = this.aside.filter((refused) => refused.event.key !== key || TELLS_OF_ERASURE.has(refused.event.type));
    this.aside.splice(0, Infinity, ...kept);
  }
  async forgetRefused() {}
  onCommit(listener: () => void) {
    this.listener = listener;
  }
}

/** Takes events, except while it is away, and all at once or none. */
class MemoryBus {
  readonly published: string[] = [];
  readonly tooLarge = new Set<string>();
  tries = 0;
  away = false;

  async publish(events: readonly OutboxEvent[]) {
    this.tries += 1;
    if (this.away) throw new Error('away');
    if (events.some(({ id }) => this.tooLarge.has(id))) throw new AppError({ kind: 'too_large', code: 'event_too_large', message: 'Too large.' });
    this.published.push(...events.map(({ id }) => id));
  }
}

describe('OutboxRelay', () => {
  const started = (pollMs = 3_600_000) => {
    const outbox = new MemoryOutbox();
    const bus = new MemoryBus();
    const relay = new OutboxRelay({ outbox, bus, log: silentLogger(), batchSize: 2, pollMs, random: () => 0 });
    return { outbox, bus, relay };
  };

  it('publishes what it finds at its start, in order, and forgets it', async () => {
    const { outbox, bus, relay } = started();
    const commits = [[event('a')], [event('b'), event('a')], [event('c')], [event('a')], [event('d')]];
    commits.forEach((events) => outbox.commit(events));
    relay.start();
    await eventually(() => outbox.waiting.length === 0);
    await relay.close();
    expect(bus.published).toEqual(commits.flat().map(({ id }) => id));
  });

  it('is woken by a commit', async () => {
    const { outbox, bus, relay } = started();
    relay.start();
    await eventually(() => outbox.looks > 0);
    outbox.commit([event('a')]);
    await eventually(() => bus.published.length === 1 && outbox.waiting.length === 0);
    await relay.close();
  });

  it('looks from time to time for what nobody told of', async () => {
    const { outbox, bus, relay } = started(5);
    relay.start();
    await eventually(() => outbox.looks > 0);
    outbox.commit([event('a')], false);
    await eventually(() => bus.published.length === 1);
    await relay.close();
  });

  it('waits out a bus that is away, and keeps the order and the ids', async () => {
    const { outbox, bus, relay } = started();
    const events = [event('a'), event('a'), event('a')];
    bus.away = true;
    events.forEach((one) => outbox.commit([one]));
    relay.start();
    await eventually(() => bus.tries >= 2);
    bus.away = false;
    await eventually(() => outbox.waiting.length === 0);
    await relay.close();
    expect(bus.published).toEqual(events.map(({ id }) => id));
  });

  it('does not try a bus that is away more often because there are more commits', async () => {
    const { outbox, bus, relay } = started();
    bus.away = true;
    relay.start();
    outbox.commit([event('a')]);
    await eventually(() => bus.tries === 1);
    for (let commit = 0; commit < 20; commit += 1) {
      outbox.commit([event('a')]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    // On a slow machine the time of the next try comes meanwhile; the pauses grow.
    expect(bus.tries).toBeLessThan(10);
    await relay.close();
  });

  it('sets aside what the bus refuses for good, and goes on with the rest in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), { maxLength: 8 }), async (commits) => {
        const { outbox, bus, relay } = started();
        const all = commits.map((fits) => fits.map((fit) => ({ fit, event: event('a') })));
        for (const one of all.flat()) if (!one.fit) bus.tooLarge.add(one.event.id);
        for (const commit of all) outbox.commit(commit.map((one) => one.event));
        relay.start();
        await relay.close();
        expect(outbox.waiting).toEqual([]);
        const ids = (fit: boolean) => all.flat().filter((one) => one.fit === fit).map((one) => one.event.id);
        expect(bus.published).toEqual(ids(true));
        expect(outbox.aside.map((refused) => refused.event.id)).toEqual(ids(false));
      }),
    );
  });

  it('says why an event was set aside, and publishes it when an operator asks', async () => {
    const { outbox, bus, relay } = started();
    const large = event('a');
    bus.tooLarge.add(large.id);
    outbox.commit([large]);
    relay.start();
    await relay.close();
    expect(outbox.aside).toMatchObject([{ event: large, reason: 'event_too_large: Too large.' }]);
    await expect(replayRefused({ outbox, bus }, large.id)).rejects.toMatchObject({ code: 'event_too_large' });
    bus.tooLarge.clear();
    await replayRefused({ outbox, bus }, large.id);
    expect([bus.published, outbox.aside]).toEqual([[large.id], []]);
    await expect(replayRefused({ outbox, bus }, large.id)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it.each(['job.deleted', 'erasure.reported'] as const)('forgets what was refused of a job once its service has said %s', async (last) => {
    const { outbox, bus, relay } = started();
    const [large, others, told] = [event('a'), event('b'), event('a', last)];
    for (const { id } of [large, others]) bus.tooLarge.add(id);
    outbox.commit([large]);
    outbox.commit([others, told]);
    relay.start();
    await relay.close();
    expect(bus.published).toEqual([told.id]);
    expect(outbox.aside.map((refused) => refused.event.id)).toEqual([others.id]);
  });

  it('publishes what is left when it closes', async () => {
    const { outbox, bus, relay } = started();
    relay.start();
    for (const key of ['a', 'b', 'c', 'd', 'e']) outbox.commit([event(key)], false);
    await relay.close();
    expect(bus.published).toHaveLength(5);
    expect(outbox.waiting).toEqual([]);
  });

  it('leaves what the bus does not take for the next start', async () => {
    const { outbox, bus, relay } = started();
    relay.start();
    bus.away = true;
    outbox.commit([event('a')]);
    await relay.close();
    expect(outbox.waiting).toHaveLength(1);
    const next = new OutboxRelay({ outbox, bus: new MemoryBus(), log: silentLogger() });
    next.start();
    await next.close();
    expect(outbox.waiting).toEqual([]);
  });
});
