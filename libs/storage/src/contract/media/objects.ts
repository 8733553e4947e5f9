import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { body, bodyBefore, type MediaFixture } from './media-fixture.js';

const notFound = expect.objectContaining({ kind: 'not_found' });

export function describeObjects(fixture: MediaFixture): void {
  describe('an object', () => {
    it('comes back as it was put, with its size and digest told', async () => {
      const bytes = randomBytes(3_000_000);
      const put = await fixture.store.put('acc/job/source', body(bytes.subarray(0, 1), bytes.subarray(1, 1_700_000), bytes.subarray(1_700_000)));
      expect(put).toEqual({ sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
      expect((await fixture.bytes('acc/job/source')).equals(bytes)).toBe(true);
      expect(await fixture.store.head('acc/job/source')).toEqual({ key: 'acc/job/source', sizeBytes: bytes.length });
    });

    it('is put without a digest for callers that need none, and read by those that have asked what it is', async () => {
      const bytes = randomBytes(700_000);
      const put = await fixture.store.put('acc/job/source', body(bytes), { withoutDigest: true });
      expect(put).toEqual({ sizeBytes: bytes.length, sha256: '' });
      const found = await fixture.store.head('acc/job/source');
      const pieces: Uint8Array[] = [];
      for await (const piece of await fixture.store.get('acc/job/source', { start: 300_000, ...(found && { found }) })) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(bytes.subarray(300_000))).toBe(true);
    });

    it('may be empty', async () => {
      expect(await fixture.store.put('acc/empty', body())).toMatchObject({ sizeBytes: 0 });
      expect(await fixture.text('acc/empty')).toBe('');
    });

    it('is there for other processes', async () => {
      await fixture.putText('acc/job/source', 'hello');
      const other = await fixture.opened.connect();
      expect(await other.head('acc/job/source')).toEqual({ key: 'acc/job/source', sizeBytes: 5 });
    });

    it('replaces an older one at once, and not before it is whole', async () => {
      await fixture.putText('acc/job/source', 'old');
      const gate = Promise.withResolvers<void>();
      const replacing = fixture.store.put('acc/job/source', bodyBefore(gate.promise, 'new'));
      expect(await fixture.text('acc/job/source')).toBe('old');
      gate.resolve();
      await replacing;
      expect(await fixture.text('acc/job/source')).toBe('new');
    });

    it('is one of those that are put at once, whole', async () => {
      const texts = Array.from({ length: 10 }, (_, index) => String(index).repeat(100_000));
      await Promise.all(texts.map((text) => fixture.putText('acc/job/source', text)));
      expect(texts).toContain(await fixture.text('acc/job/source'));
    });

    it('is not there before it is put, and when it is removed', async () => {
      await expect(fixture.store.get('acc/job/source')).rejects.toEqual(notFound);
      expect(await fixture.store.head('acc/job/source')).toBeUndefined();
      expect(await fixture.store.remove('acc/job/source')).toBe(false);
      await fixture.putText('acc/job/source', 'hello');
      expect(await fixture.store.remove('acc/job/source')).toBe(true);
      await expect(fixture.store.get('acc/job/source')).rejects.toEqual(notFound);
    });

    it('can be copied, and outlives the one that it was copied from', async () => {
      await fixture.putText('acc/upload/source', 'hello');
      expect(await fixture.store.copy('acc/upload/source', 'acc/job1/source')).toEqual({ key: 'acc/job1/source', sizeBytes: 5 });
      await fixture.store.copy('acc/upload/source', 'acc/job1/source');
      await fixture.store.copy('acc/upload/source', 'acc/job2/source');
      await fixture.store.removePrefix('acc/upload/');
      await fixture.putText('acc/job2/source', 'other');
      expect(await fixture.text('acc/job1/source')).toBe('hello');
      expect(await fixture.keys()).toEqual(['acc/job1/source', 'acc/job2/source']);
      expect(await fixture.opened.countUnfinished()).toBe(0);
      await expect(fixture.store.copy('acc/upload/source', 'acc/job3/source')).rejects.toEqual(notFound);
      expect(await fixture.keys()).toHaveLength(2);
    });

    it('is not what lies above or below it', async () => {
      await fixture.putText('acc/job/source', 'hello');
      for (const key of ['acc/job', 'acc', 'acc/job/source/deeper']) {
        await expect(fixture.store.get(key)).rejects.toEqual(notFound);
        expect(await fixture.store.head(key)).toBeUndefined();
        expect(await fixture.store.remove(key)).toBe(false);
      }
      expect(await fixture.text('acc/job/source')).toBe('hello');
    });

    it('can be read in part', async () => {
      const text = 'the quick brown fox';
      await fixture.putText('acc/fox', text);
      await fc.assert(
        fc.asyncProperty(fc.option(fc.nat({ max: 25 }), { nil: undefined }), fc.option(fc.nat({ max: 25 }), { nil: undefined }), async (start, end) => {
          const range = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
          expect(await fixture.text('acc/fox', range)).toBe(text.slice(start, Math.max(start ?? 0, end ?? text.length)));
        }),
        { numRuns: 60 },
      );
    });

    it('can be left half read', async () => {
      await fixture.store.put('acc/long', body(randomBytes(2_000_000)));
      for await (const chunk of await fixture.store.get('acc/long')) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
    });
  });

  describe('a key', () => {
    const wrong = ['', '/', '/etc/passwd', 'a//b', 'a/', 'a/../b', '..', '.', 'a/./b', 'a b', 'a\0b', 'a\\b', 'ä', '%2e%2e/a', `${'a/'.repeat(600)}a`];

    it.each(wrong)('cannot be %j', async (key) => {
      const invalid = expect.objectContaining({ kind: 'invalid', code: 'invalid_media_key' });
      await expect(fixture.store.put(key, body('x'))).rejects.toEqual(invalid);
      await expect(fixture.store.get(key)).rejects.toEqual(invalid);
      await expect(fixture.store.head(key)).rejects.toEqual(invalid);
      await expect(fixture.store.remove(key)).rejects.toEqual(invalid);
      expect(await fixture.keys()).toEqual([]);
    });

    it.each(['../', '/', 'a/../', 'a/./', '', 'a', './'])('cannot begin with %j where everything below is removed', async (prefix) => {
      await fixture.putText('a/b', 'x');
      await expect(fixture.store.removePrefix(prefix)).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_media_key' });
      expect(await fixture.keys()).toEqual(['a/b']);
    });
  });

  it('can be checked', async () => {
    await fixture.store.check();
  });
}
