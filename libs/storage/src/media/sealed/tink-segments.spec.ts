import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { HEADER_BYTES, isHeader, openSegment, sealStream, SEGMENT_BYTES, segmentKey } from './tink-segments.js';

interface Vector {
  clearBytes: number;
  mainKey: string;
  associatedData: string;
  file: string;
}

const folder = new URL('../../../test/tink/', import.meta.url);
const vectors = JSON.parse(await readFile(new URL('vectors.json', folder), 'utf8')) as Vector[];

const clearBytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, index) => (index * 7) % 251));

function open(mainKey: Uint8Array, data: Uint8Array, sealed: Uint8Array): Buffer | undefined {
  const header = sealed.subarray(0, HEADER_BYTES);
  if (!isHeader(header)) return undefined;
  const key = segmentKey(mainKey, header, data);
  const segments = Math.ceil(sealed.byteLength / SEGMENT_BYTES);
  const opened = Array.from({ length: segments }, (_, segment) => {
    const bytes = sealed.subarray(segment === 0 ? HEADER_BYTES : segment * SEGMENT_BYTES, (segment + 1) * SEGMENT_BYTES);
    return openSegment(key, header, { segment, isLast: segment === segments - 1, sealed: bytes });
  });
  return opened.every((clear) => clear !== undefined) ? Buffer.concat(opened) : undefined;
}

describe('a stream of segments', () => {
  it.each(vectors)('is the one that Tink writes: $clearBytes bytes', async ({ clearBytes: count, mainKey, associatedData, file }) => {
    const sealed = await readFile(new URL(file, folder));
    const given = [Buffer.from(mainKey, 'hex'), Buffer.from(associatedData, 'hex')] as const;
    expect(open(...given, sealed)?.equals(clearBytes(count))).toBe(true);
    const own = sealStream(given[0], randomBytes(32), given[1], clearBytes(count));
    expect(own.byteLength).toBe(sealed.byteLength);
    expect(open(...given, own)?.equals(clearBytes(count))).toBe(true);
  });

  it('is refused with another key, other associated data, or a changed byte', () => {
    const [key, data] = [randomBytes(32), Buffer.from('data')];
    const sealed = sealStream(key, randomBytes(32), data, clearBytes(70_000));
    expect(open(key, data, sealed)).toBeDefined();
    expect(open(randomBytes(32), data, sealed)).toBeUndefined();
    expect(open(key, Buffer.from('date'), sealed)).toBeUndefined();
    for (const at of [0, 1, 20, 35, 41, 65_536, sealed.byteLength - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(open(key, data, changed)).toBeUndefined();
    }
  });
});
