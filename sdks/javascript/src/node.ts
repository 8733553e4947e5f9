import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileSource } from './files.js';

/** A file on the disk, of which a piece at a time is read. Upload it once; the upload closes it. */
export async function fromPath(path: string | URL): Promise<FileSource> {
  const name = typeof path === 'string' ? path : fileURLToPath(path);
  const file = await open(name);
  const { size } = await file.stat();
  const read = async (start: number, end: number) => {
    const bytes = new Uint8Array(end - start);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
      if (bytesRead === 0) throw new Error(`${name} became shorter while it was read.`);
      at += bytesRead;
    }
    return bytes;
  };
  return { name: basename(name), size, read, close: () => file.close() };
}
