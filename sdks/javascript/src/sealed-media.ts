import { Encrypter } from 'age-encryption';
import { piecesOf, type FileInput, type FileSource } from './files.js';

/** age encrypts pieces of this size; what is read at once is no more. */
const PIECE_BYTES = 64 * 1024;

/**
 * Encrypts a file so that only the holders of the private keys can read it, by the age format (https://age-encryption.org/v1), while it
 * is uploaded. Neither the file nor its encrypted form is in memory whole.
 * @param recipients the `recipient` of the first key of `GET /media-keys`; to be able to open what the server keeps, one of your own as well
 * @returns what `uploads.create` and `transcriptions.create` take as `file`; of a stream of unknown size a stream
 */
export async function sealMedia(file: FileInput, recipients: string | readonly string[]): Promise<FileSource | ReadableStream<Uint8Array>> {
  const encrypter = new Encrypter();
  for (const recipient of [recipients].flat()) encrypter.addRecipient(recipient);
  const { name, size, pieces, fetch } = piecesOf(file, PIECE_BYTES);
  const clear = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await pieces.next();
      if (done) controller.close();
      // A source may use the memory of a piece for the next one, and streams keep some.
      else controller.enqueue(value.slice());
    },
    cancel: async () => void (await pieces.return(undefined)),
  });
  const sealed = await encrypter.encrypt(clear);
  if (size === undefined) return sealed;
  const reader = new InOrder(sealed.getReader());
  return { name: `${name ?? 'recording'}.age`, size: sealed.size(size), read: (start, end) => reader.read(start, end), close: () => reader.close(), ...(fetch && { fetch }) };
}

/** Reads a stream by ranges that follow each other. */
class InOrder {
  private rest = new Uint8Array();
  private at = 0;

  constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array>) {}

  async read(start: number, end: number): Promise<Uint8Array> {
    if (start !== this.at) throw new RangeError('An encrypted file is read from its beginning to its end.');
    const bytes = new Uint8Array(end - start);
    let filled = 0;
    while (filled < bytes.length) {
      if (this.rest.length === 0) this.rest = new Uint8Array(await this.next());
      const taken = this.rest.subarray(0, bytes.length - filled);
      bytes.set(taken, filled);
      filled += taken.length;
      this.rest = this.rest.subarray(taken.length);
    }
    this.at = end;
    return bytes;
  }

  close(): Promise<void> {
    return this.reader.cancel();
  }

  private async next(): Promise<Uint8Array> {
    const { value, done } = await this.reader.read();
    if (done) throw new RangeError('The file is shorter than it was.');
    return value;
  }
}
