type Field = Buffer | string;

export interface ProducedMessage {
  key?: Field | null;
  value: Field | null;
  headers?: Record<string, Field | readonly Field[]>;
  /** Milliseconds since 1970, in place of now. */
  timestamp?: string;
}

const FIRST_SIZE = 16 * 1024;
/** Bytes that a number of variable length takes at most. */
const VARINT = 5;
/** Below it a loop is faster than a call out of JavaScript. */
const SHORT = 48;
/** Bytes of the lengths of most records. */
const MAX_LENGTH_BYTES = 2;

/** Kafka's numbers, texts and records, one behind the other in a buffer that grows. */
export class RecordWriter {
  private buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  private offset = 0;

  /** The bytes that were written so far. */
  get bytes(): Buffer {
    return this.buffer.subarray(0, this.offset);
  }

  int8(value: number): void {
    this.room(1);
    this.buffer[this.offset++] = value;
  }

  int16(value: number): void {
    this.room(2);
    this.offset = this.buffer.writeInt16BE(value, this.offset);
  }

  int32(value: number): void {
    this.room(4);
    this.offset = this.buffer.writeInt32BE(value, this.offset);
  }

  int64(value: bigint): void {
    this.room(8);
    this.offset = this.buffer.writeBigInt64BE(value, this.offset);
  }

  /** Leaves bytes for what is known later. @returns where they are */
  skip(count: number): number {
    this.room(count);
    this.offset += count;
    return this.offset - count;
  }

  /** Without its length. */
  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.room(length);
    this.offset += this.buffer.write(text, this.offset, length);
  }

  /** A number of variable length, zigzag. */
  varint(value: number): void {
    this.room(VARINT);
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    while (rest > 127) {
      this.buffer[this.offset++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.buffer[this.offset++] = rest;
  }

  /** One of a batch, of the time of the whole batch. */
  record({ key, value, headers = {} }: ProducedMessage, index: number): void {
    const start = this.skip(MAX_LENGTH_BYTES);
    this.int8(0);
    this.int8(0);
    this.varint(index);
    this.withLength(key);
    this.withLength(value);
    const names = Object.keys(headers);
    this.varint(names.reduce((count, name) => count + countOf(headers[name]), 0));
    for (const name of names) this.header(name, headers[name]);
    this.insertLength(start);
  }

  private header(name: string, value: Field | readonly Field[] | null | undefined): void {
    if (isList(value)) {
      for (const one of value) this.header(name, one);
    } else {
      this.withLength(name);
      this.withLength(value);
    }
  }

  private withLength(value: Field | null | undefined): void {
    if (value === null || value === undefined) this.varint(-1);
    else if (typeof value === 'string') this.textWithLength(value);
    else {
      this.varint(value.length);
      this.room(value.length);
      this.offset += value.copy(this.buffer, this.offset);
    }
  }

  private textWithLength(text: string): void {
    const start = this.offset;
    if (text.length < SHORT) {
      this.varint(text.length);
      if (this.ascii(text)) return;
      this.offset = start;
    }
    this.varint(Buffer.byteLength(text));
    this.text(text);
  }

  /** @returns false when the text has other characters */
  private ascii(text: string): boolean {
    this.room(text.length);
    const { buffer, offset } = this;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 127) return false;
      buffer[offset + at] = code;
    }
    this.offset += text.length;
    return true;
  }

  /** @param start of the two bytes left for the length of all that came after them */
  private insertLength(start: number): void {
    const [from, end] = [start + MAX_LENGTH_BYTES, this.offset];
    const moved = sizeOfVarint(end - from) - MAX_LENGTH_BYTES;
    if (moved > 0) this.room(moved);
    if (moved !== 0) this.buffer.copyWithin(from + moved, from, end);
    this.offset = start;
    this.varint(end - from);
    this.offset = end + moved;
  }

  private room(count: number): void {
    if (this.offset + count <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.offset + count));
    this.buffer.copy(larger, 0, 0, this.offset);
    this.buffer = larger;
  }
}

const isList = (value: unknown): value is readonly Field[] => Array.isArray(value);
const countOf = (value: unknown): number => (isList(value) ? value.length : 1);
const sizeOfVarint = (length: number): number => (length < 64 ? 1 : length < 8192 ? 2 : length < 1_048_576 ? 3 : 4);
