import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Delivery } from '../event-bus.js';
import { inTurns } from './in-turns.js';

const never = new AbortController().signal;

/** A consumer whose work ends when the test says so. */
function workshop(deadlineMs = 60_000) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const consumer = inTurns(
    {
      group: 'test',
      topic: 'parlance.chunk-tasks.v1',
      handlers: {
        'chunk.requested': ({ event, signal }) =>
          new Promise((resolve, reject) => {
            begun.push(event.data.jobId);
            ends.set(event.data.jobId, resolve);
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
      },
    },
    { places: 1, share: 1, deadlineMs },
  );
  const deliver = (accountId: string, jobId: string, signals: { signal?: AbortSignal; draining?: AbortSignal } = {}) => {
    const delivery = { event: { data: { accountId, jobId } }, attempt: 1, maxAttempts: 1, signal: never, draining: never, ...signals };
    const ended = consumer.handlers['chunk.requested']?.(delivery as unknown as Delivery<'chunk.requested'>);
    ended?.catch(() => undefined);
    return ended;
  };
  const end = async (jobId: string) => {
    ends.get(jobId)?.();
    await turn();
  };
  return { consumer, begun, deliver, end };
}

describe('work that accounts take turns at', () => {
  it('goes to the account whose turn it is, whatever another has waiting', async () => {
    const { consumer, begun, deliver, end } = workshop();
    // Another account's event is taken in behind those of five hundred queued jobs.
    expect(consumer.concurrency).toBeGreaterThan(500);
    for (let index = 0; index < 50; index += 1) void deliver('acc_many', `many_${index}`);
    void deliver('acc_one', 'one');
    await turn();
    await end('many_0');
    await end('many_1');
    await end('one');
    expect(begun).toEqual(['many_0', 'many_1', 'one', 'many_2']);
    for (let index = 2; index < 50; index += 1) await end(`many_${index}`);
  });

  it('has its time from its turn on', async () => {
    const { begun, deliver, end } = workshop(20);
    const late = deliver('acc_a', 'late');
    const waited = deliver('acc_b', 'waited');
    await expect(late).rejects.toMatchObject({ code: 'handler_timeout' });
    await turn();
    expect(begun).toEqual(['late', 'waited']);
    await end('waited');
    await waited;
  });

  it('is given back while it waits when the process is to end, and goes on when it has begun', async () => {
    const { begun, deliver, end } = workshop();
    const stop = new AbortController();
    const running = deliver('acc_a', 'running', { draining: stop.signal });
    const waiting = deliver('acc_a', 'waiting', { draining: stop.signal });
    await turn();
    stop.abort(new Error('the process is to end'));
    await expect(waiting).rejects.toBe(stop.signal.reason);
    await end('running');
    await running;
    expect(begun).toEqual(['running']);
  });
});
