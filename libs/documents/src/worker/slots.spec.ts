import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Slots } from './slots.js';

const PATIENCE_MS = 30_000;

describe('a line of documents', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('moves on in its order', async () => {
    const slots = new Slots(1, PATIENCE_MS);
    const order: string[] = [];
    const release = await slots.take();
    const waiting = ['one', 'two'].map(async (name) => {
      const done = await slots.take();
      order.push(name);
      done();
    });
    expect(order).toEqual([]);
    release();
    await Promise.all(waiting);
    expect(order).toEqual(['one', 'two']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is left by who is gone, and its place goes to the next', async () => {
    const slots = new Slots(1, PATIENCE_MS);
    const gone = new AbortController();
    const release = await slots.take();
    const leaver = slots.take(gone.signal);
    const next = slots.take();
    gone.abort(new Error('the client is gone'));
    await expect(leaver).rejects.toThrow('the client is gone');
    release();
    (await next)();
    (await slots.take())();
    await expect(slots.take(gone.signal)).rejects.toThrow('the client is gone');
  });

  it('is waited in for so long, and then one is told when to come back', async () => {
    const slots = new Slots(1, PATIENCE_MS);
    const release = await slots.take();
    const refused = expect(slots.take()).rejects.toMatchObject({ kind: 'unavailable', code: 'service_unavailable', retryable: true, retryAfter: 10 });
    jest.advanceTimersByTime(PATIENCE_MS);
    await refused;
    release();
    (await slots.take())();
  });
});
