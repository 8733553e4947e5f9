import { ParlanceError } from './errors.js';
import { concatenated } from './transport.js';

/** A file whose parts can be read, for instance one on a disk (`fromPath` of `@parlance/client/node`). */
export interface FileSource {
  readonly name?: string;
  readonly size: number;
  /** Bytes from `start` up to and without `end`, which are used before the next call. */
  read(start: number, end: number): Promise<Uint8Array>;
  close?(): Promise<void>;
  /** Sends the requests of its upload and of its job where the client has no `fetch` of its own. */
  readonly fetch?: typeof fetch;
}

/** A file that can be uploaded. */
export type FileInput = Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | FileSource;

/** A file in pieces of one size but for the last. */
export interface FilePieces {
  name: string | undefined;
  /** Undefined for a stream. */
  size: number | undefined;
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>>;
  fetch?: typeof fetch;
}

/** @throws ParlanceError when the input is nothing that can be uploaded */
export function piecesOf(input: FileInput, pieceBytes: number): FilePieces {
  if (input instanceof Blob) return fromSource(blobSource(input), pieceBytes);
  if (input instanceof ArrayBuffer) return fromSource(bytesSource(new Uint8Array(input)), pieceBytes);
  if (ArrayBuffer.isView(input)) return fromSource(bytesSource(new Uint8Array(input.buffer, input.byteOffset, input.byteLength)), pieceBytes);
  if (typeof input === 'object' && input !== null) {
    if ('getReader' in input) return { name: undefined, size: undefined, pieces: regrouped(readStream(input), pieceBytes) };
    // Before the files: streams of Node have a method `read` as well.
    if (Symbol.asyncIterator in input) return { name: undefined, size: undefined, pieces: regrouped(input, pieceBytes) };
    if (isSource(input)) return fromSource(input, pieceBytes);
  }
  throw new ParlanceError('`file` has to be a Blob, bytes, a stream or an async iterable. For a path, use fromPath of @parlance/client/node; for a URL, audio_url.');
}

/** False for what has a method `read` of another kind, such as a file handle of Node, which has no size. */
const isSource = ({ read, size }: Partial<FileSource>): boolean => typeof read === 'function' && typeof size === 'number' && size >= 0;

const blobSource = (blob: Blob): FileSource => ({
  name: 'name' in blob ? String(blob.name) : undefined,
  size: blob.size,
  read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
});

const bytesSource = (bytes: Uint8Array): FileSource => ({ size: bytes.length, read: async (start, end) => bytes.subarray(start, end) });

function fromSource(source: FileSource, pieceBytes: number): FilePieces {
  const { name, size } = source;
  const pieces = async function* () {
    try {
      for (let at = 0; at < size; at += pieceBytes) yield (await source.read(at, Math.min(at + pieceBytes, size))) as Uint8Array<ArrayBuffer>;
    } finally {
      await source.close?.();
    }
  };
  return { name, size, pieces: pieces(), fetch: source.fetch };
}

/** Safari cannot iterate a stream. */
async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

/** Pieces of the wanted size, at most one of which is kept. */
async function* regrouped(pieces: AsyncIterable<Uint8Array>, pieceBytes: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let kept: Uint8Array[] = [];
  let missing = pieceBytes;
  for await (let piece of pieces) {
    if (!ArrayBuffer.isView(piece)) throw new ParlanceError('The stream of `file` gives other pieces than bytes (Uint8Array). A stream of Node must have no encoding.');
    while (piece.length >= missing) {
      yield concatenated([...kept, piece.subarray(0, missing)]);
      piece = piece.subarray(missing);
      kept = [];
      missing = pieceBytes;
    }
    if (piece.length > 0) kept.push(piece);
    missing -= piece.length;
  }
  if (kept.length > 0) yield concatenated(kept);
}
