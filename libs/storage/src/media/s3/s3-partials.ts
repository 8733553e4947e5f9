import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path/posix';
import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { AppError, interruptible } from '@parlance/platform';
import type { MediaStore } from '../media-store.js';
import { PIECE_BYTES, type AppendOptions, type PartialObject } from '../partial-object.js';
import { readObject } from '../read-object.js';
import type { S3Bucket } from './s3-bucket.js';
import { fromS3Error, isMissingUpload, storeUnavailable } from './s3-errors.js';
import { encryptionParams, removedMeanwhile } from './s3-uploads.js';

/** A multipart upload has no more parts. */
const MAX_PARTS = 10_000;
/** Parts that the largest objects are cut into: some numbers are left for interrupted ones. */
const PARTS_WANTED = 8_000;
/** Parts are multiples of it, and so are the blocks of sealed objects: whatever is durable are whole blocks. */
const PART_UNIT_BYTES = 1024 * 1024;

/**
 * Objects that arrive in pieces, as multipart uploads. S3 takes no part under 5 MiB but the last: fewer bytes are kept as an
 * object of their own, the tail, with which the next append begins.
 */
export class S3Partials {
  constructor(
    private readonly bucket: S3Bucket,
    private readonly store: Pick<MediaStore, 'put' | 'get' | 'remove'>,
  ) {}

  async begin(key: string): Promise<PartialObject> {
    const { client } = this.bucket;
    const { UploadId: session } = await client.send(new CreateMultipartUploadCommand({ ...this.target(key), ...encryptionParams(this.bucket) })).catch(asAppError);
    if (session === undefined) throw storeUnavailable('The media store began no multipart upload.');
    return { key, session, sizeBytes: 0, nextPart: 1, parts: [] };
  }

  async append(partial: PartialObject, body: AsyncIterable<Uint8Array>, { maxBytes, signal, onStored }: AppendOptions): Promise<PartialObject> {
    const pieces = new Pieces(maxBytes);
    let durable = partial;
    if (partial.tail) pieces.add(await readObject(this.store, partial.tail.key).catch(asPartial));
    let received = partial.sizeBytes;
    let isBody = true;
    const stored = async (next: PartialObject) => {
      const before = durable.tail;
      await onStored?.(next);
      durable = next;
      // Without a report, the caller still has the state that needs it.
      if (before && onStored && before.key !== next.tail?.key) await this.store.remove(before.key).catch(() => undefined);
    };
    try {
      for await (const bytes of interruptible(body, signal)) {
        received += bytes.byteLength;
        if (received > maxBytes) throw tooLarge(maxBytes);
        pieces.add(bytes);
        isBody = false;
        for (let part = pieces.takePart(); part; part = pieces.takePart()) await stored(await this.putPart(durable, part));
        isBody = true;
      }
      isBody = false;
      const rest = pieces.rest();
      if (rest.byteLength > 0 && durable.sizeBytes < received) await stored(await this.putTail(durable, rest));
      return durable;
    } catch (error) {
      const rest = pieces.rest();
      if (onStored && isBody && rest.byteLength > (durable.tail?.sizeBytes ?? 0)) await stored(await this.putTail(durable, rest));
      throw asPartialError(error);
    }
  }

  /** @throws the error of the server when there is no such upload */
  async finish(partial: PartialObject): Promise<void> {
    const { client } = this.bucket;
    const last = partial.tail ? await this.putPart(partial, await readObject(this.store, partial.tail.key).catch(asPartial)) : partial;
    const Parts = last.parts.map(({ number, tag }) => ({ PartNumber: number, ETag: tag }));
    await client.send(new CompleteMultipartUploadCommand({ ...this.target(partial.key), UploadId: partial.session, MultipartUpload: { Parts } }));
  }

  /** The part begins where the last one ended, and takes in the tail. */
  private async putPart(partial: PartialObject, bytes: Uint8Array): Promise<PartialObject> {
    const { nextPart: number, key, session } = partial;
    if (number > MAX_PARTS) throw new AppError({ kind: 'too_large', code: 'too_large', message: 'The object arrived in too many pieces.' });
    const { ETag: tag } = await this.bucket.client.send(new UploadPartCommand({ ...this.target(partial.key), UploadId: partial.session, PartNumber: number, Body: bytes }));
    if (tag === undefined) throw storeUnavailable('The media store returned no tag of a part.');
    const parts = [...partial.parts, { number, tag, sizeBytes: bytes.byteLength }];
    return { key, session, parts, nextPart: number + 1, sizeBytes: sizeOf(parts) };
  }

  private async putTail(partial: PartialObject, bytes: Uint8Array): Promise<PartialObject> {
    const tail = { key: `${tailPrefix(partial.key)}${randomUUID()}`, sizeBytes: bytes.byteLength };
    await this.store.put(tail.key, whole(bytes));
    return { ...partial, tail, sizeBytes: sizeOf(partial.parts) + tail.sizeBytes };
  }

  private target(key: string) {
    return { Bucket: this.bucket.bucket, Key: this.bucket.prefix + key };
  }
}

/** Collects bytes into parts. */
class Pieces {
  private readonly partBytes: number;
  private waiting: Uint8Array[] = [];
  private bytes = 0;

  constructor(maxBytes: number) {
    this.partBytes = Math.max(PIECE_BYTES, Math.ceil(maxBytes / PARTS_WANTED / PART_UNIT_BYTES) * PART_UNIT_BYTES);
  }

  add(bytes: Uint8Array): void {
    this.waiting.push(bytes);
    this.bytes += bytes.byteLength;
  }

  /** @returns undefined while there is too little for one */
  takePart(): Uint8Array | undefined {
    if (this.bytes < this.partBytes) return undefined;
    const all = Buffer.concat(this.waiting);
    this.waiting = [];
    this.bytes = 0;
    if (all.byteLength > this.partBytes) this.add(all.subarray(this.partBytes));
    return all.subarray(0, this.partBytes);
  }

  rest(): Uint8Array {
    return Buffer.concat(this.waiting);
  }
}

const sizeOf = (parts: PartialObject['parts']): number => parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const tailPrefix = (key: string): string => `${dirname(key)}/tail-`;

/** The multipart upload, or the tail of it, is gone. */
export const asPartialError = (error: unknown): unknown =>
  isMissingUpload(error) || (error instanceof AppError && error.kind === 'not_found') ? removedMeanwhile(error) : fromS3Error(error);

function asPartial(error: unknown): never {
  throw asPartialError(error);
}

function asAppError(error: unknown): never {
  throw fromS3Error(error);
}

const tooLarge = (maxBytes: number) => new AppError({ kind: 'too_large', code: 'too_large', message: `The object is larger than ${maxBytes} bytes.` });
