import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ParlanceError } from './errors.js';
import type { FileSource } from './files.js';
import { sendByHttp } from './send-by-http.js';

/** A file on the disk, of which a piece at a time is read. Upload it once; the upload closes it. @throws ParlanceError when it is a pipe or a device, which has no size */
export async function fromPath(path: string | URL): Promise<FileSource> {
  const name = typeof path === 'string' ? path : fileURLToPath(path);
  // Before it is opened, which waits where nothing writes into a pipe.
  if (!(await stat(name)).isFile()) throw new ParlanceError(`${name} is not a regular file. Pass the stream of a pipe: createReadStream of node:fs.`);
  const file = await open(name);
  const { size } = await file.stat();
  // One buffer for all pieces: the garbage collector lets 64 MB of buffers collect.
  let buffer = new Uint8Array();
  const read = async (start: number, end: number) => {
    if (buffer.length < end - start) buffer = new Uint8Array(end - start);
    const bytes = buffer.subarray(0, end - start);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
      if (bytesRead === 0) throw new Error(`${name} became shorter while it was read.`);
      at += bytesRead;
    }
    return bytes;
  };
  return { name: basename(name), size, read, close: () => file.close(), fetch: sendByHttp };
}
