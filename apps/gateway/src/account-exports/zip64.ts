import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

/** A file of an archive, as its list at the end names it. */
export interface ZipEntry {
  name: string;
  crc: number;
  sizeBytes: number;
  storedBytes: number;
  isDeflated: boolean;
  /** Its place in the archive, or in the part of the archive that it is in. */
  offset: number;
  /** Lower-case hexadecimal, of the file itself. */
  sha256: string;
}

export interface ZipFile {
  name: string;
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** The file is compressed already. */
  isPacked?: boolean;
}

const VERSION = 45;
/** Sizes follow the file, and its name is UTF-8. */
const FLAGS = 0x0808;
const DEFLATE = 8;
const ZIP64 = 0x0001;
const IN_ZIP64 = 0xffffffff;
const MODE = 0o100600;

/**
 * The bytes of one file within an archive (APPNOTE 6.3.10, with ZIP64 everywhere: no size is known beforehand, and none is too
 * large). It is read as fast as its bytes are taken.
 * @param offset where it begins
 * @param done called with the file's place once its bytes are given
 */
export async function* zipFile({ name, pieces, isPacked = false }: ZipFile, offset: number, date: Date, done: (entry: ZipEntry) => void): AsyncGenerator<Uint8Array> {
  const nameBytes = Buffer.from(name);
  yield localHeader(nameBytes, isPacked, date);
  const measure = new Measure();
  let storedBytes = 0;
  for await (const bytes of isPacked ? measure.of(pieces) : deflated(measure.of(pieces))) {
    storedBytes += bytes.length;
    yield bytes;
  }
  const { crc, sizeBytes } = measure;
  const descriptor = Buffer.alloc(24);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  descriptor.writeBigUInt64LE(BigInt(storedBytes), 8);
  descriptor.writeBigUInt64LE(BigInt(sizeBytes), 16);
  yield descriptor;
  done({ name, crc, sizeBytes, storedBytes, isDeflated: !isPacked, offset, sha256: measure.sha256() });
}

/** The list of all files, with which the archive ends. @param offset where it begins */
export async function* zipEnd(entries: AsyncIterable<ZipEntry>, offset: number, date: Date): AsyncGenerator<Uint8Array> {
  let count = 0;
  let size = 0;
  for await (const entry of entries) {
    const header = centralHeader(entry, date);
    count += 1;
    size += header.length;
    yield header;
  }
  yield endRecords(count, size, offset);
}

async function* deflated(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const deflate = createDeflateRaw();
  const running = pipeline(Readable.from(pieces, { objectMode: false }), deflate);
  // The error of the pieces is thrown where the output is read, or at the end.
  running.catch(() => {});
  yield* deflate as AsyncIterable<Uint8Array>;
  await running;
}

class Measure {
  crc = 0;
  sizeBytes = 0;
  private readonly hash = createHash('sha256');

  async *of(pieces: ZipFile['pieces']): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.crc = crc32(piece, this.crc);
      this.sizeBytes += piece.length;
      this.hash.update(piece);
      yield piece;
    }
  }

  sha256(): string {
    return this.hash.digest('hex');
  }
}

function localHeader(name: Buffer, isPacked: boolean, date: Date): Buffer {
  const header = Buffer.alloc(30 + name.length + 20);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(isPacked ? 0 : DEFLATE, 8);
  writeTime(header, 10, date);
  header.writeUInt32LE(IN_ZIP64, 18);
  header.writeUInt32LE(IN_ZIP64, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(20, 28);
  name.copy(header, 30);
  header.writeUInt16LE(ZIP64, 30 + name.length);
  header.writeUInt16LE(16, 32 + name.length);
  return header;
}

function centralHeader({ name, crc, sizeBytes, storedBytes, isDeflated, offset }: ZipEntry, date: Date): Buffer {
  const nameBytes = Buffer.from(name);
  const header = Buffer.alloc(46 + nameBytes.length + 28);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE((3 << 8) | VERSION, 4);
  header.writeUInt16LE(VERSION, 6);
  header.writeUInt16LE(FLAGS, 8);
  header.writeUInt16LE(isDeflated ? DEFLATE : 0, 10);
  writeTime(header, 12, date);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(IN_ZIP64, 20);
  header.writeUInt32LE(IN_ZIP64, 24);
  header.writeUInt16LE(nameBytes.length, 28);
  header.writeUInt16LE(28, 30);
  header.writeUInt32LE(MODE * 2 ** 16, 38);
  header.writeUInt32LE(IN_ZIP64, 42);
  nameBytes.copy(header, 46);
  const extra = 46 + nameBytes.length;
  header.writeUInt16LE(ZIP64, extra);
  header.writeUInt16LE(24, extra + 2);
  header.writeBigUInt64LE(BigInt(sizeBytes), extra + 4);
  header.writeBigUInt64LE(BigInt(storedBytes), extra + 12);
  header.writeBigUInt64LE(BigInt(offset), extra + 20);
  return header;
}

function endRecords(count: number, size: number, offset: number): Buffer {
  const records = Buffer.alloc(56 + 20 + 22);
  records.writeUInt32LE(0x06064b50, 0);
  records.writeBigUInt64LE(44n, 4);
  records.writeUInt16LE(VERSION, 12);
  records.writeUInt16LE(VERSION, 14);
  records.writeBigUInt64LE(BigInt(count), 24);
  records.writeBigUInt64LE(BigInt(count), 32);
  records.writeBigUInt64LE(BigInt(size), 40);
  records.writeBigUInt64LE(BigInt(offset), 48);
  records.writeUInt32LE(0x07064b50, 56);
  records.writeBigUInt64LE(BigInt(offset + size), 64);
  records.writeUInt32LE(1, 72);
  records.writeUInt32LE(0x06054b50, 76);
  records.writeUInt16LE(0xffff, 84);
  records.writeUInt16LE(0xffff, 86);
  records.writeUInt32LE(IN_ZIP64, 88);
  records.writeUInt32LE(IN_ZIP64, 92);
  return records;
}

/** In UTC, to two seconds. */
function writeTime(header: Buffer, at: number, date: Date): void {
  header.writeUInt16LE((date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1), at);
  header.writeUInt16LE(((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(), at + 2);
}
