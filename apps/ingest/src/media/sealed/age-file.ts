import type { webcrypto } from 'node:crypto';
import type { AppError } from '@parlance/platform';
import { mediaError } from '../media-error.js';

/** The first line of a binary age file (https://age-encryption.org/v1). */
const BINARY_FIRST_LINE = Buffer.from('age-encryption.org/v1\n');
/** The first line of an ASCII-armored age file, without its end, which may be LF or CRLF. */
const ARMORED_FIRST_LINE = Buffer.from('-----BEGIN AGE ENCRYPTED FILE-----');
/** A header with a hundred recipients is shorter. The header is in memory, and each recipient in it costs a key agreement for each key. */
const MAX_HEADER_BYTES = 16 * 1024;
/** The beginning of the last line of a header. */
const END_OF_HEADER = '\n--- ';

/** The private keys that a file may be encrypted to. */
export interface AgeIdentities {
  accepted: readonly webcrypto.CryptoKey[];
  /** Keys that are still kept, and that a new file may not be encrypted to. */
  retired: readonly webcrypto.CryptoKey[];
}

interface RecognizedFile {
  /** `armored` is recognised for a clear error, and not decrypted; `none`: not an age file. */
  ageFormat: 'binary' | 'armored' | 'none';
  /** The whole file, with the bytes that were read to recognise it. */
  bytes: AsyncIterable<Uint8Array>;
  /** Closes the source. */
  close(): Promise<void>;
}

/** Recognises an age file by its first line, without losing what was read. To be closed also when it was not read to its end: the library leaves the source of a file that it cannot open. */
export async function recognizeAge(bytes: AsyncIterable<Uint8Array>): Promise<RecognizedFile> {
  const pieces = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < ARMORED_FIRST_LINE.length) {
    const { done, value } = await pieces.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return { ageFormat: ageFormatOf(head), bytes: rejoined(head, pieces), close: async () => void (await pieces.return?.()) };
}

function ageFormatOf(head: Buffer): RecognizedFile['ageFormat'] {
  const startsWith = (line: Buffer) => head.subarray(0, line.length).equals(line);
  if (startsWith(BINARY_FIRST_LINE)) return 'binary';
  return startsWith(ARMORED_FIRST_LINE) ? 'armored' : 'none';
}

async function* rejoined(head: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* { [Symbol.asyncIterator]: () => pieces };
}

/**
 * Decrypts a file in the age format as it arrives. Each piece is authenticated before it is given, and its end as well.
 * @throws AppError media_sealed_key_unknown, media_sealed_key_retired, media_sealed_corrupt; what the source throws
 */
export async function* decryptAge(bytes: AsyncIterable<Uint8Array>, { accepted, retired }: AgeIdentities): AsyncGenerator<Uint8Array> {
  const source = new WatchedSource(bytes);
  const asked = { retired: false, none: false };
  // Here, so that a start does not read it.
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  // They are tried in this order, and none after the first that fits.
  for (const identity of accepted) decrypter.addIdentity(identity);
  decrypter.addIdentity(neverFits(() => (asked.retired = true)));
  for (const identity of retired) decrypter.addIdentity(identity);
  decrypter.addIdentity(neverFits(() => (asked.none = true)));
  try {
    const clear = await decrypter.decrypt(ReadableStream.from(withBoundedHeader(source.bytes())));
    if (asked.retired) throw keyError(asked);
    yield* clear;
  } catch (error) {
    if (source.failure !== undefined) throw source.failure;
    if (asked.retired) throw keyError(asked);
    throw mediaError('media_sealed_corrupt', 'The encrypted file is damaged, or its end is missing.', { cause: error });
  }
}

/** An identity that only notes that those before it do not fit. */
const neverFits = (note: () => void) => ({
  unwrapFileKey: () => {
    note();
    return null;
  },
});

const keyError = ({ none }: { none: boolean }): AppError =>
  none
    ? mediaError('media_sealed_key_unknown', 'The file is encrypted, and not to a media key of this server.')
    : mediaError('media_sealed_key_retired', 'The file is encrypted to a media key that this server does not accept any more.');

/** The same bytes, unless a header is longer than one may be. */
async function* withBoundedHeader(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let header: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of bytes) {
    if (!header) {
      yield piece;
      continue;
    }
    header = Buffer.concat([header, piece]);
    const isWhole = header.subarray(0, MAX_HEADER_BYTES).includes(END_OF_HEADER);
    if (!isWhole && header.length > MAX_HEADER_BYTES) throw new RangeError('The header is too long.');
    if (!isWhole) continue;
    yield header;
    header = undefined;
  }
  if (header) yield header;
}

/** Distinguishes errors of the source from those of the file. */
class WatchedSource {
  failure: unknown;

  constructor(private readonly source: AsyncIterable<Uint8Array>) {}

  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.source;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}
