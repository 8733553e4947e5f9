import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { MediaFixture } from './media-fixture.js';

/** Few letters, so that keys share prefixes; those around '/' in the order of bytes most of all. */
const segment = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '0', '-', '_'), minLength: 1, maxLength: 2 });
const folders = fc.array(segment, { maxLength: 2 });
/** Objects end in '.o', so that none is a folder of another's. */
const key = fc.tuple(folders, segment).map(([path, name]) => [...path, `${name}.o`].join('/'));

export function describeListing(fixture: MediaFixture): void {
  describe('a list', () => {
    it('has the keys that begin with the prefix, in their order', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(key, { maxLength: 12 }), fc.oneof(key, folders.map((path) => path.join('/'))), async (keys, prefix) => {
          run += 1;
          const root = `run${run}/`;
          await Promise.all(keys.map((one) => fixture.putText(root + one, 'x')));
          const expected = keys.filter((one) => one.startsWith(prefix)).toSorted();
          expect(await fixture.keys(root + prefix)).toEqual(expected.map((one) => root + one));
        }),
        { numRuns: 30 },
      );
    });

    it('has their sizes', async () => {
      await fixture.putText('acc/a', 'hello');
      const objects = [];
      for await (const object of fixture.store.list('acc/')) objects.push(object);
      expect(objects).toEqual([{ key: 'acc/a', sizeBytes: 5 }]);
    });

    it('is empty where nothing is', async () => {
      expect(await fixture.keys('acc/job/')).toEqual([]);
    });
  });

  describe('removing a prefix', () => {
    it('removes everything below it, and nothing beside it', async () => {
      const kept = ['acc/job1.x', 'acc/job10/source', 'acc/job2/source'];
      const gone = ['acc/job1/plan', 'acc/job1/audio/000001.pcm', 'acc/job1/audio/000002.pcm'];
      for (const one of [...kept, ...gone]) await fixture.putText(one, 'x');
      expect(await fixture.store.removePrefix('acc/job1/')).toBe(gone.length);
      expect(await fixture.keys()).toEqual(kept);
      expect(await fixture.store.removePrefix('acc/job1/')).toBe(0);
    });

    it('leaves room for new objects', async () => {
      await fixture.putText('acc/job/source', 'old');
      await fixture.store.removePrefix('acc/job/');
      await fixture.putText('acc/job/source', 'new');
      expect(await fixture.keys()).toEqual(['acc/job/source']);
    });
  });
}
