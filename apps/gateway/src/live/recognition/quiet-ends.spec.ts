import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { pause } from '@parlance/platform';
import { QuietEnds } from './quiet-ends.js';

/** Milliseconds after which a decoder counts as quiet for certain. */
const QUIET_MS = 300;

async function* failing(): AsyncGenerator<string> {
  yield 'first';
  throw new Error('The decoder stopped.');
}

describe('orders between the items of a decoder', () => {
  it('come once the decoder is quiet', async () => {
    const ends = new QuietEnds<string>(({ length }) => length);
    const gate = Promise.withResolvers<void>();
    async function* items(): AsyncGenerator<string> {
      yield 'first';
      await gate.promise;
      yield 'second';
    }
    const all = ends.between(items());
    expect((await all.next()).value).toBe('first');
    ends.order();
    expect((await all.next()).value).toBe('finalize');
    gate.resolve();
    expect([(await all.next()).value, (await all.next()).done]).toEqual(['second', true]);
  });

  it('come at their place in the output where that is known, although the decoder is never quiet', async () => {
    const ends = new QuietEnds<string>(({ length }) => length);
    async function* items(): AsyncGenerator<string> {
      for (;;) yield 'abcd';
    }
    ends.order(8);
    const all = ends.between(items());
    const next = async () => (await all.next()).value;
    expect([await next(), await next(), await next(), await next()]).toEqual(['abcd', 'abcd', 'finalize', 'abcd']);
    ends.order(3);
    expect(await next()).toBe('finalize');
    await all.return(undefined);
  });

  // An unhandled rejection ends the process, and fails this test.
  it('do not lose the failure of a decoder that comes while the reader is busy with an order', async () => {
    const ends = new QuietEnds<string>(({ length }) => length);
    const all = ends.between(failing());
    expect((await all.next()).value).toBe('first');
    ends.order();
    await pause(QUIET_MS);
    expect((await all.next()).value).toBe('finalize');
    await nextTurn();
    await expect(all.next()).rejects.toThrow('stopped');
  });
});
