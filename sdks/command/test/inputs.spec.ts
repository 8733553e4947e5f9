import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fileInput } from '../src/transcribe/inputs.js';

let folder: string;
let pipe: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inputs-'));
  pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterEach(() => rm(folder, { recursive: true }));

describe('a pipe by its path', () => {
  it('is read as a stream', async () => {
    const writing = writeFile(pipe, 'some audio');
    const { file, file_name: name } = await fileInput(pipe).open();
    const pieces: Uint8Array[] = [];
    for await (const piece of file as AsyncIterable<Uint8Array>) pieces.push(piece);
    await writing;
    expect({ name, text: Buffer.concat(pieces).toString() }).toEqual({ name: 'pipe', text: 'some audio' });
  });

  it('that has nothing is refused', async () => {
    const writing = writeFile(pipe, '');
    await expect(fileInput(pipe).open()).rejects.toThrow('The pipe is empty: there is nothing to transcribe.');
    await writing;
  });

  it('of a descriptor has a name that is no number', () => {
    expect(fileInput('/dev/fd/63').fileName).toBe('pipe');
    expect(fileInput('/proc/self/fd/12').fileName).toBe('pipe');
  });
});

it('a device is refused', async () => {
  await expect(fileInput('/dev/null').open()).rejects.toThrow('This is neither a file nor a pipe.');
});
