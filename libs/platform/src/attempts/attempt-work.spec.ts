import { describe, expect, it } from '@jest/globals';
import { attemptWork } from './attempt-work.js';

const LONG = 60_000;
const never = () => new Promise<void>(() => {});
const untilAborted = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

describe('attemptWork', () => {
  const limits = { deadlineMs: LONG, graceMs: LONG, closing: new AbortController().signal, draining: new AbortController().signal };

  it('tells how the handler ended', async () => {
    const error = new Error('no');
    expect(await attemptWork(async () => {}, limits)).toEqual({ outcome: 'done' });
    expect(await attemptWork(() => Promise.reject(error), limits)).toEqual({ outcome: 'failed', error });
    const throwing = (): Promise<void> => {
      throw error;
    };
    expect(await attemptWork(throwing, limits)).toEqual({ outcome: 'failed', error });
  });

  it('fails one that ends after its deadline, well or not', async () => {
    const timeout = { outcome: 'failed', error: { code: 'handler_timeout', retryable: true } };
    expect(await attemptWork(untilAborted, { ...limits, deadlineMs: 1 })).toMatchObject(timeout);
    const complaining = async (signal: AbortSignal) => {
      await untilAborted(signal);
      throw new Error('interrupted');
    };
    expect(await attemptWork(complaining, { ...limits, deadlineMs: 1 })).toMatchObject(timeout);
  });

  it('fails one that does not end after its deadline and its grace', async () => {
    const outcome = await attemptWork(never, { ...limits, deadlineMs: 1, graceMs: 1 });
    expect(outcome).toMatchObject({ outcome: 'failed', error: { code: 'handler_timeout' } });
  });

  describe('while the subscription closes', () => {
    const closeWhile = async (handler: (signal: AbortSignal) => Promise<void>, graceMs = LONG) => {
      const closing = new AbortController();
      const outcome = attemptWork(handler, { ...limits, graceMs, closing: closing.signal });
      closing.abort(new Error('closing'));
      return outcome;
    };

    it('calls what threw or did not end interrupted', async () => {
      const complaining = async (signal: AbortSignal) => {
        await untilAborted(signal);
        signal.throwIfAborted();
      };
      expect(await closeWhile(complaining)).toEqual({ outcome: 'interrupted' });
      expect(await closeWhile(never, 1)).toEqual({ outcome: 'interrupted' });
    });

    it('calls what ended well done', async () => {
      expect(await closeWhile(untilAborted)).toEqual({ outcome: 'done' });
    });

    it('does not begin', async () => {
      let began = false;
      const handler = async () => void (began = true);
      expect(await attemptWork(handler, { ...limits, closing: AbortSignal.abort() })).toEqual({ outcome: 'interrupted' });
      expect(began).toBe(false);
    });
  });
});
