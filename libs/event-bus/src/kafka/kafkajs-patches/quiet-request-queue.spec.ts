import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import './quiet-request-queue.js';

const require = createRequire(import.meta.url);
const QueueClass = require('kafkajs/src/network/requestQueue') as { prototype: { scheduleCheckPendingRequests(): void } };

describe('the request queue of a Kafka connection', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const timersOf = (state: { pending: unknown[]; throttledUntil: number }): number => {
    const queue = Object.assign(Object.create(QueueClass.prototype) as typeof QueueClass.prototype, { throttleCheckTimeoutId: null }, state);
    queue.scheduleCheckPendingRequests();
    return jest.getTimerCount();
  };

  it('sets no timer while it is idle', () => {
    expect(timersOf({ pending: [], throttledUntil: -1 })).toBe(0);
  });

  it.each([
    ['a request waits', { pending: [{}], throttledUntil: -1 }],
    ['the broker throttles', { pending: [], throttledUntil: 1e15 }],
  ])('sets one while %s', (_, state) => {
    expect(timersOf(state)).toBe(1);
  });
});
