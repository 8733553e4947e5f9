import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { zipEnd, zipFile, type ZipEntry, type ZipFile } from './zip64.js';

const DATE = new Date('2026-03-01T09:30:00.000Z');
const NOISE = randomBytes(100_000);

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function archiveOf(files: readonly ZipFile[]): Promise<{ archive: Buffer; entries: ZipEntry[] }> {
  const entries: ZipEntry[] = [];
  const chunks: Uint8Array[] = [];
  const length = () => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  for (const file of files) for await (const chunk of zipFile(file, length(), DATE, (entry) => entries.push(entry))) chunks.push(Buffer.from(chunk));
  async function* all(): AsyncGenerator<ZipEntry> {
    yield* entries;
  }
  for await (const chunk of zipEnd(all(), length(), DATE)) chunks.push(chunk);
  return { archive: Buffer.concat(chunks), entries };
}

describe('a ZIP64 archive', () => {
  const files: ZipFile[] = [
    { name: 'text.json', pieces: [Buffer.from('{"words":'), Buffer.from('"ää"}')] },
    { name: 'recordings/größe.mp3', pieces: pieces(NOISE, 777), isPacked: true },
    { name: 'empty.json', pieces: [] },
  ];

  it('has its files, with digests, as another reader finds them', async () => {
    const { archive, entries } = await archiveOf(files);
    const read = unzipSync(archive);
    expect(Object.keys(read)).toEqual(['text.json', 'recordings/größe.mp3', 'empty.json']);
    expect(strFromU8(read['text.json'] ?? NOISE)).toBe('{"words":"ää"}');
    expect(Buffer.from(read['recordings/größe.mp3'] ?? []).equals(NOISE)).toBe(true);
    expect(entries[1]).toMatchObject({ sizeBytes: NOISE.length, storedBytes: NOISE.length, sha256: createHash('sha256').update(NOISE).digest('hex') });
  });

  it('passes the test of Python’s zipfile', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-zip-'));
    try {
      const path = join(folder, 'archive.zip');
      await writeFile(path, (await archiveOf([{ name: 'again.mp3', pieces: pieces(NOISE, 1000), isPacked: true }, { name: 'text.txt', pieces: [NOISE.subarray(0, 50)] }])).archive);
      const { stdout } = await promisify(execFile)('python3', ['-m', 'zipfile', '-t', path]);
      expect(stdout).toContain('Done testing');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('ends with the error of a file that cannot be read', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield NOISE;
      throw new Error('the disk is gone');
    }
    await expect(archiveOf([{ name: 'a', pieces: broken() }])).rejects.toThrow('the disk is gone');
  });
});
