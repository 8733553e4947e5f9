import { createReadStream } from 'node:fs';
import { basename } from 'node:path';

/** Escapes of a file name in a form: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const ESCAPES: Record<string, string> = { '\n': '%0A', '\r': '%0D', '"': '%22' };

interface FileUpload {
  contentType: string;
  /** Reads the file as it is sent. */
  body: AsyncGenerator<Uint8Array>;
}

/**
 * A form with the file in its part `file`. Not FormData with a Blob: when a Blob's file is removed while it is sent, the
 * rejection is unhandled and ends the process, and the request never settles.
 */
export function fileUpload(path: string, boundary: string): FileUpload {
  const name = basename(path).replaceAll(/[\n\r"]/g, (character) => ESCAPES[character] ?? character);
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`;
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: parts(head, path, `\r\n--${boundary}--\r\n`) };
}

async function* parts(head: string, path: string, tail: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head);
  yield* createReadStream(path) as AsyncIterable<Buffer>;
  yield Buffer.from(tail);
}
