import { createRequire } from 'node:module';

type Headers = Record<string, Buffer | null>;

/** The decoder of kafkajs, which reads from its offset in the buffer. */
interface Decoder {
  readonly buffer: Buffer;
  offset: number;
  readVarInt(): number;
  readVarIntBytes(): Buffer | null;
  /** @returns what it goes through once, to make an object of it */
  readVarIntArray(read: unknown): { reduce(step: unknown, start: Headers): Headers };
}

/** Records of other producers may have any names, so the number that is kept is bounded. */
const MAX_NAMES = 256;

const decoderClass = createRequire(import.meta.url)('kafkajs/src/protocol/decoder') as { prototype: Decoder };
const { readVarIntArray } = decoderClass.prototype;
const names = new Map<number, string>();

/**
 * kafkajs 2.2.4 copies what it has of a record's headers for each further one, and makes each name anew: for events, which
 * have seven headers or more, most of what decoding takes. It reads lists of this kind for headers alone.
 */
decoderClass.prototype.readVarIntArray = function (this: Decoder, read) {
  const { offset } = this;
  const headers = readHeaders(this);
  if (headers) return { reduce: () => headers };
  this.offset = offset;
  return readVarIntArray.call(this, read);
};

/** @returns undefined when a name is there twice, is none, or is one that every object has */
function readHeaders(decoder: Decoder): Headers | undefined {
  const headers: Headers = {};
  for (let left = decoder.readVarInt(); left > 0; left -= 1) {
    const length = decoder.readVarInt();
    if (length < 0) return undefined;
    const name = nameAt(decoder.buffer, decoder.offset, length);
    if (name in headers) return undefined;
    decoder.offset += length;
    headers[name] = decoder.readVarIntBytes();
  }
  return headers;
}

/** The same text for the same bytes each time, where they are plain: a new one costs more than looking for it. */
function nameAt(bytes: Buffer, start: number, length: number): string {
  let hash = length;
  for (let at = start; at < start + length; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  const known = names.get(hash);
  if (known !== undefined && isAt(bytes, start, length, known)) return known;
  const name = bytes.toString('utf8', start, start + length);
  if (known === undefined && names.size < MAX_NAMES) names.set(hash, name);
  return name;
}

function isAt(bytes: Buffer, start: number, length: number, name: string): boolean {
  if (name.length !== length) return false;
  for (let at = 0; at < length; at += 1) if (name.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
