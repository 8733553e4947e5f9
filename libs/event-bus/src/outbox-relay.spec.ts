import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { eventually } from './contract/index.js';
import type { OutboxEvent } from './event-bus.js';
import { stampEvent } from './event-json.js';
import { OutboxRelay } from './outbox-relay.js';
import type { OutboxSource, PendingEvents } from './outbox-source.js';

const ids = ulidGenerator();
const event = (jobId: string): OutboxEvent =>
  stampEvent({ type: 'job.created', data: EVENTS['job.created'].codec.fromJSON({ jobId }) }, { clock: systemClock, ids, source: 'test' });

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
  onCommit(listener: () => void) {
    this.listener = listener;
  }
}

/** Takes events, except while it is away. */
class MemoryBus {
  readonly published: string[] = [];
  tries = 0;
  away = false;

  async publish(events: readonly OutboxEvent[]) {
    this.tries += 1;
    if (this.away) throw new Error('away');
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
    expect(bus.tries).toBe(1);
    await relay.close();
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
