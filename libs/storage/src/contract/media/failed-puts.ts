import { afterEach, describe, expect, it } from '@jest/globals';
import { body, bodyBefore, type MediaFixture } from './media-fixture.js';

export function describeFailedPuts(fixture: MediaFixture): void {
  describe('a put that fails', () => {
    afterEach(async () => expect(await fixture.opened.countUnfinished()).toBe(0));

    it('leaves the older object, and nothing else', async () => {
      await fixture.putText('acc/job/source', 'old');
      const broken = async function* () {
        yield Buffer.from('new');
        throw new TypeError('connection reset');
      };
      await expect(fixture.store.put('acc/job/source', broken())).rejects.toThrow(new TypeError('connection reset'));
      await expect(fixture.store.put('acc/job/other', broken())).rejects.toThrow('connection reset');
      expect(await fixture.text('acc/job/source')).toBe('old');
      expect(await fixture.keys()).toEqual(['acc/job/source']);
    });

    it('is one of more bytes than it may have', async () => {
      const tooLarge = expect.objectContaining({ kind: 'too_large', code: 'too_large' });
      expect(await fixture.store.put('acc/ten', body('01234', '56789'), { maxBytes: 10 })).toMatchObject({ sizeBytes: 10 });
      await expect(fixture.store.put('acc/eleven', body('01234', '567890'), { maxBytes: 10 })).rejects.toEqual(tooLarge);
      expect(await fixture.keys()).toEqual(['acc/ten']);
    });

    it('stops reading the body that is too large', async () => {
      let given = 0;
      let left = false;
      const endless = async function* () {
        try {
          for (;;) {
            given += 1000;
            yield Buffer.alloc(1000);
          }
        } finally {
          left = true;
        }
      };
      await expect(fixture.store.put('acc/endless', endless(), { maxBytes: 5_000_000 })).rejects.toMatchObject({ code: 'too_large' });
      expect(left).toBe(true);
      expect(given).toBeLessThan(50_000_000);
    });

    it('is aborted with the reason that it is given, even when the body never goes on', async () => {
      const reason = new Error('canceled by its owner');
      const controller = new AbortController();
      const stalled = async function* () {
        yield Buffer.from('some');
        setImmediate(() => controller.abort(reason));
        await new Promise(() => {});
      };
      await expect(fixture.store.put('acc/job/source', stalled(), { signal: controller.signal })).rejects.toBe(reason);
      await expect(fixture.store.put('acc/job/source', body('x'), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(await fixture.keys()).toEqual([]);
    });

    it('is one whose prefix is removed before it ends', async () => {
      const gate = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const slow = async function* () {
        yield Buffer.from('some');
        begun.resolve();
        yield* bodyBefore(gate.promise, 'more');
      };
      await fixture.putText('acc/job/plan', '{}');
      const putting = fixture.store.put('acc/job/audio/1', slow());
      await begun.promise;
      expect(await fixture.store.removePrefix('acc/job/')).toBe(1);
      expect(await fixture.opened.countUnfinished()).toBe(0);
      gate.resolve();
      await expect(putting).rejects.toMatchObject({ kind: 'canceled' });
      expect(await fixture.keys()).toEqual([]);
    });
  });
}
