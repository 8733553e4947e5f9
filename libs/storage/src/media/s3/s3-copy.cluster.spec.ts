import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { S3Playground } from '../../../test/s3-playground.js';
import { copyObject } from './s3-copy.js';
import { readObject } from '../read-object.js';

const PART_BYTES = 5 * 1024 * 1024;

let playground: S3Playground;
beforeEach(() => void (playground = new S3Playground()));
afterEach(() => playground.dispose());

it('copies a large object in parts, whole, and leaves no unfinished upload where the object is gone', async () => {
  const bytes = randomBytes(PART_BYTES * 2 + 1);
  const store = playground.connect();
  await store.put('acc/upload/source', (async function* () { yield bytes; })());
  const source = { key: 'acc/upload/source', sizeBytes: bytes.length };
  await copyObject(playground.bucket, source, 'acc/job/source', PART_BYTES);
  expect(Buffer.from(await readObject(store, 'acc/job/source')).equals(bytes)).toBe(true);
  await store.remove('acc/upload/source');
  await expect(copyObject(playground.bucket, source, 'acc/job2/source', PART_BYTES)).rejects.toMatchObject({ kind: 'not_found' });
  expect(await playground.countUnfinished()).toBe(0);
});
