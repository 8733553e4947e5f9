import type { KeyObject } from 'node:crypto';
import { AppError } from '@parlance/platform';
import { giveBack } from '../read-object.js';
import { blockData } from './block-sealer.js';
import { ByteQueue } from './byte-queue.js';
import { OBJECT_ID_BYTES } from './object-keys.js';
import { BLOCK_BYTES, endOfSegment, lastBlockOf, placeOf } from './sealed-layout.js';
import { HEADER_BYTES, isHeader, openSegment, saltOf, segmentKey, SEGMENT_BYTES } from './tink-segments.js';

/** Keys that may be the object's, the likeliest first. */
export type CandidateKeys = (objectId: Uint8Array) => AsyncIterable<Uint8Array>;

interface ClearRange {
  start: number;
  /** Behind the start. */
  end: number;
}

/** The sealed bytes that have to be read for clear ones. */
export const sealedRange = ({ start, end }: ClearRange, sealedBytes: number) => ({ start: placeOf(start).block * BLOCK_BYTES, end: endOfSegment(end - 1, sealedBytes) });

/** The object's id, which the header of each of its blocks has. */
const objectIdOf = (header: Uint8Array): Uint8Array => saltOf(header).subarray(0, OBJECT_ID_BYTES);

/**
 * Opens the blocks of one object, one after the other.
 * @throws AppError media_seal_broken when bytes were changed, moved, cut off or sealed for another object
 */
export class BlockOpener {
  private objectId: Uint8Array | undefined;
  private known: Uint8Array | undefined;

  /** @param sealedBytes the size of the object */
  constructor(
    private readonly sealedBytes: number,
    private readonly candidates: CandidateKeys,
  ) {}

  /** Once a segment was opened. */
  identity(): { objectId: Uint8Array; clearKey: Uint8Array } {
    if (!this.objectId || !this.known) throw sealBroken();
    return { objectId: this.objectId, clearKey: this.known };
  }

  /** @param sealed what `sealedRange` says */
  async *open(sealed: AsyncIterable<Uint8Array>, range: ClearRange): AsyncGenerator<Buffer> {
    const first = placeOf(range.start);
    const end = sealedRange(range, this.sealedBytes).end;
    let skipped = first.offset;
    let missing = range.end - range.start;
    const reader = new ExactReader(sealed);
    try {
      for (let { block, segment } = first; block * BLOCK_BYTES < end; block += 1, segment = 0) {
        const bytes = await reader.read(Math.min(end - block * BLOCK_BYTES, BLOCK_BYTES));
        const wanted = (await this.openBlock(bytes, block, segment)).subarray(skipped, skipped + missing);
        skipped = 0;
        missing -= wanted.byteLength;
        if (wanted.byteLength > 0) yield wanted;
      }
    } finally {
      await reader.close();
    }
  }

  /**
   * The segments of a block from a number on, as far as its bytes were read, in one piece: each costs its receiver a call. The clear
   * bytes take the place of the sealed ones, since new memory costs more than to open them.
   */
  private async openBlock(sealed: Uint8Array, block: number, from: number): Promise<Buffer> {
    const isLastBlock = block === lastBlockOf(this.sealedBytes);
    const segments = Math.ceil((isLastBlock ? this.sealedBytes - block * BLOCK_BYTES : BLOCK_BYTES) / SEGMENT_BYTES);
    const header = sealed.subarray(0, HEADER_BYTES);
    if (!isHeader(header)) throw sealBroken();
    this.requireSameObject(header);
    const data = blockData(block, isLastBlock);
    const start = from === 0 ? HEADER_BYTES : from * SEGMENT_BYTES;
    let end = start;
    let key = this.known && segmentKey(this.known, header, data);
    for (let segment = from; segment * SEGMENT_BYTES < sealed.byteLength; segment += 1) {
      const bytes = sealed.subarray(segment === 0 ? HEADER_BYTES : segment * SEGMENT_BYTES, (segment + 1) * SEGMENT_BYTES);
      const given = { segment, isLast: segment === segments - 1, sealed: bytes };
      const opened = key ? { key, clear: openSegment(key, header, given) } : await this.openFirst(header, data, given);
      if (!opened.clear) throw sealBroken();
      key = opened.key;
      sealed.set(opened.clear, end);
      end += opened.clear.byteLength;
      giveBack(opened.clear);
    }
    return Buffer.from(sealed.buffer, sealed.byteOffset + start, end - start);
  }

  private requireSameObject(header: Uint8Array): void {
    const objectId = Buffer.from(objectIdOf(header));
    this.objectId ??= objectId;
    if (!objectId.equals(this.objectId)) throw sealBroken();
  }

  /** Opens a segment with the first key that fits. */
  private async openFirst(header: Uint8Array, data: Uint8Array, given: Parameters<typeof openSegment>[2]): Promise<{ key: KeyObject; clear: Buffer }> {
    for await (const candidate of this.candidates(objectIdOf(header))) {
      const key = segmentKey(candidate, header, data);
      const clear = openSegment(key, header, given);
      if (!clear) continue;
      this.known = candidate;
      return { key, clear };
    }
    throw sealBroken();
  }
}

/** Reads exact counts of bytes. */
class ExactReader {
  private readonly waiting = new ByteQueue();
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.chunks = bytes[Symbol.asyncIterator]();
  }

  /** @throws AppError media_seal_broken when there are fewer */
  async read(count: number): Promise<Uint8Array> {
    while (this.waiting.size < count) {
      const next = await this.chunks.next();
      if (next.done === true) throw sealBroken();
      this.waiting.add(next.value);
    }
    return this.waiting.take(count);
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}

const sealBroken = () => new AppError({ code: 'media_seal_broken', message: 'Stored media was changed, moved or cut off since it was sealed.' });
