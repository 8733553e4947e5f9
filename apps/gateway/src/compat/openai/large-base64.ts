import { TimeSlices } from '@parlance/platform';

/** Bytes within which the key of the string is looked for. */
const HEAD_BYTES = 320 * 1024;
/** Characters that are decoded at once. */
const DECODED_AT_ONCE = 128 * 1024;
/** Characters of the longest escape of JSON, `\u002f`. */
const ESCAPE_LENGTH = 6;
const QUOTE = 0x22;

/** A JSON text without a string of Base64 that is too long to be parsed, or copied, in one turn of the event loop. */
interface CutJson {
  /** The text with an empty string in its place. */
  rest: Buffer[];
  /** As it is written in the text, with escapes. */
  base64: Buffer[];
}

/** @param json in pieces. @param after a text behind which the key is. @returns undefined when there is no such string */
export function cutBase64(json: readonly Buffer[], key: string, after = ''): CutJson | undefined {
  const head = headOf(json);
  const from = Math.max(0, head.indexOf(after));
  // Within a string of JSON the quotes would have backslashes, so that this is a key.
  const found = new RegExp(`"${key}"\\s*:\\s*"`).exec(head.toString('latin1', from));
  if (!found) return undefined;
  const start = from + found.index + found[0].length;
  const end = quoteBehind(json, start);
  if (end === undefined) return undefined;
  return { rest: [...between(json, 0, start), ...between(json, end, Infinity)], base64: [...between(json, start, end)] };
}

function quoteBehind(pieces: readonly Buffer[], start: number): number | undefined {
  let at = 0;
  for (const piece of pieces) {
    const index = piece.indexOf(QUOTE, Math.max(0, start - at));
    if (index !== -1) return at + index;
    at += piece.byteLength;
  }
  return undefined;
}

function* between(pieces: readonly Buffer[], from: number, to: number): Generator<Buffer> {
  let at = 0;
  for (const piece of pieces) {
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at));
    if (part.byteLength > 0) yield part;
    at += piece.byteLength;
  }
}

function headOf(json: readonly Buffer[]): Buffer {
  let bytes = 0;
  const pieces = json.filter((piece) => (bytes += piece.byteLength) - piece.byteLength < HEAD_BYTES);
  return pieces.length === 1 && pieces[0] ? pieces[0].subarray(0, HEAD_BYTES) : Buffer.concat(pieces, Math.min(bytes, HEAD_BYTES));
}

/**
 * Decodes the inside of a JSON string, in slices between which the event loop takes its turn: both alphabets of RFC 4648, with or
 * without padding and white space.
 *
 * @param base64 in pieces
 * @returns undefined when it is no Base64
 */
export async function decodeBase64(base64: readonly Buffer[]): Promise<Buffer[] | undefined> {
  const slices = new TimeSlices();
  const decoder = new Base64Decoder();
  const pieces: Buffer[] = [];
  for (const slice of slicesOf(base64)) {
    const piece = decoder.add(slice);
    if (!piece) return undefined;
    pieces.push(piece);
    await slices.next();
  }
  const last = decoder.end();
  return last && [...pieces, last];
}

function* slicesOf(pieces: readonly Buffer[]): Generator<string> {
  for (const piece of pieces) for (let at = 0; at < piece.byteLength; at += DECODED_AT_ONCE) yield piece.toString('latin1', at, at + DECODED_AT_ONCE);
}

class Base64Decoder {
  /** Characters as they are written that may be half an escape. */
  private written = '';
  /** Characters that are no whole group of four. */
  private text = '';
  private isPadded = false;

  /** @returns undefined when it is no Base64 */
  add(slice: string): Buffer | undefined {
    this.written += slice;
    const escape = this.written.lastIndexOf('\\');
    return this.decode(escape === -1 || escape <= this.written.length - ESCAPE_LENGTH ? this.written.length : escape, false);
  }

  /** @returns undefined when it is no Base64 */
  end(): Buffer | undefined {
    return this.decode(this.written.length, true);
  }

  private decode(whole: number, isLast: boolean): Buffer | undefined {
    const plain = unescaped(this.written.slice(0, whole));
    if (plain === undefined) return undefined;
    this.written = this.written.slice(whole);
    this.text += plain.replaceAll(/\s/g, '');
    const end = isLast ? this.text.length : this.text.length - (this.text.length % 4);
    const piece = this.text.slice(0, end);
    this.text = this.text.slice(end);
    // Node skips what is no Base64.
    if (!BASE64.test(piece) || piece.length % 4 === 1 || (this.isPadded && piece !== '')) return undefined;
    this.isPadded ||= piece.endsWith('=');
    return Buffer.from(piece, 'base64');
  }
}

const BASE64 = /^[\w+/-]*={0,2}$/;

function unescaped(written: string): string | undefined {
  if (!written.includes('\\')) return written;
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return undefined;
  }
}
