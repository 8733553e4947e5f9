import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pattern } from '../../../conformance/fault-server/pattern.mjs';
import type { FileInput } from '../../src/index.js';
import { fromPath } from '../../src/node.js';

export interface PatternFile {
  pattern: number;
  as: 'bytes' | 'path' | 'stream' | 'sized_stream' | 'iterable';
  name?: string;
}

const CHUNK_BYTES = 65_000;

/** The file in the form that the case names. */
export async function fileOf({ pattern: length, as, name = 'file' }: PatternFile): Promise<FileInput> {
  const bytes = pattern(0, length);
  if (as === 'bytes') return bytes;
  if (as === 'path') return writtenFile(name, bytes);
  const chunks = async function* () {
    for (let at = 0; at < length; at += CHUNK_BYTES) yield new Uint8Array(bytes.subarray(at, at + CHUNK_BYTES));
  };
  return as === 'iterable' ? chunks() : (ReadableStream.from(chunks()) as ReadableStream<Uint8Array>);
}

/** The file is removed once it is open. */
async function writtenFile(name: string, bytes: Uint8Array): Promise<FileInput> {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-'));
  try {
    await writeFile(join(folder, name), bytes);
    return await fromPath(join(folder, name));
  } finally {
    await rm(folder, { recursive: true });
  }
}
