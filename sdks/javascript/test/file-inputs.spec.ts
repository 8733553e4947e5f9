import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Parlance, type FileInput } from '../src/index.js';

const BYTES = Uint8Array.from({ length: 200_000 }, (_, at) => at % 251);

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-inputs-'));
  path = join(folder, 'talk.mp3');
  await writeFile(path, BYTES);
});
afterAll(() => rm(folder, { recursive: true }));

/** @returns what a server receives of the input */
async function uploaded(file: FileInput): Promise<Uint8Array> {
  let received = new Uint8Array();
  const fetch = async (_url: unknown, init?: RequestInit) => {
    received = new Uint8Array(await new Response(init?.body).arrayBuffer());
    return Response.json({ upload_id: 'upl_1' });
  };
  await new Parlance({ apiKey: 'pl_1', fetch }).uploads.create(file);
  return received;
}

describe('a stream of Node is sent whole', () => {
  const streams: [string, () => Readable][] = [
    ['of a file', () => createReadStream(path)],
    ['of buffers', () => Readable.from([Buffer.from(BYTES.subarray(0, 70_000)), Buffer.from(BYTES.subarray(70_000))])],
    ['that others write into', () => new PassThrough().end(BYTES)],
    ['with a property `size`', () => Object.assign(createReadStream(path), { size: 0 })],
  ];
  it.each(streams)('%s', async (_name, stream) => {
    expect(Buffer.compare(await uploaded(stream()), BYTES)).toBe(0);
  });
});

describe('what has no bytes to read is refused, instead of being sent as an empty file:', () => {
  it('a stream of text', async () => {
    await expect(uploaded(createReadStream(path, 'latin1'))).rejects.toThrow('A stream of Node must have no encoding');
  });

  it('a file handle', async () => {
    await using handle = await open(path);
    await expect(uploaded(handle as unknown as FileInput)).rejects.toThrow('`file` has to be a Blob, bytes, a stream or an async iterable');
  });

  it('a source without a size', async () => {
    await expect(uploaded({ read: async () => BYTES } as unknown as FileInput)).rejects.toThrow('`file` has to be');
  });
});
