import { Readable } from 'node:stream';
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type ListMultipartUploadsCommandOutput, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { AppError, interruptible } from '@parlance/platform';
import type { PutOptions, PutResult } from '../media-store.js';
import { MeasuredBody } from '../measured-body.js';
import type { S3Bucket } from './s3-bucket.js';
import { fromS3Error, isMissingUpload } from './s3-errors.js';

/** An upload holds at most three parts in memory, and may have 10 000: 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;

interface Running {
  key: string;
  removal: AbortController;
  ended: Promise<unknown>;
}

/** Bodies on their way in: small ones in one request at their end, others in parts; either way there whole or not at all. */
export class S3Uploads {
  private readonly running = new Set<Running>();

  constructor(private readonly bucket: S3Bucket) {}

  async receive(key: string, body: AsyncIterable<Uint8Array>, { maxBytes = Infinity, withoutDigest, signal }: PutOptions): Promise<PutResult> {
    signal?.throwIfAborted();
    const removal = new AbortController();
    const interrupt = signal ? AbortSignal.any([signal, removal.signal]) : removal.signal;
    const sending = this.send(key, new MeasuredBody(interruptible(body, interrupt), maxBytes, withoutDigest));
    const running: Running = { key, removal, ended: sending.catch(() => {}) };
    this.running.add(running);
    try {
      return await sending;
    } finally {
      this.running.delete(running);
    }
  }

  /**
   * Ends unfinished uploads below the prefix: this process's own at once, whatever their size; those of others that have come
   * to their first part. They fail as canceled.
   */
  async abandon(prefix: string): Promise<void> {
    const own = [...this.running].filter(({ key }) => key.startsWith(prefix));
    own.forEach(({ removal }) => removal.abort(removedMeanwhile()));
    await Promise.all(own.map(({ ended }) => ended));
    const { client, bucket, prefix: root } = this.bucket;
    for await (const { key, id } of this.unfinished(prefix)) {
      const aborting = client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: root + key, UploadId: id }));
      await aborting.catch((error: unknown) => (isMissingUpload(error) ? undefined : Promise.reject(error)));
    }
  }

  /** Unfinished multipart uploads below the prefix, of whatever process. */
  async *unfinished(prefix: string): AsyncGenerator<{ key: string; id: string }> {
    const { client, bucket, prefix: root, endpoint } = this.bucket;
    // MinIO takes the prefix for a whole key, so that all uploads of servers other than AWS are listed.
    const asked = endpoint === undefined ? { Prefix: root + prefix } : {};
    let position: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (position) {
      const page: ListMultipartUploadsCommandOutput = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, ...asked, ...position }));
      for (const { Key: key, UploadId: id } of page.Uploads ?? []) {
        if (key?.startsWith(root + prefix) && id !== undefined) yield { key: key.slice(root.length), id };
      }
      position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined;
    }
  }

  private async send(key: string, body: MeasuredBody): Promise<PutResult> {
    const upload = new Upload({
      client: this.bucket.client,
      params: { Bucket: this.bucket.bucket, Key: this.bucket.prefix + key, Body: Readable.from(body.chunks(), { highWaterMark: 1 }), ...encryptionParams(this.bucket) },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    });
    try {
      await upload.done();
    } catch (error) {
      if (body.failure) throw body.failure.error;
      throw isMissingUpload(error) ? removedMeanwhile(error) : fromS3Error(error);
    }
    return body.result();
  }
}

export function encryptionParams({ encryption }: S3Bucket): Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId'> {
  if (!encryption) return {};
  if (encryption.algorithm === 'AES256') return { ServerSideEncryption: 'AES256' };
  return { ServerSideEncryption: 'aws:kms', ...(encryption.keyId !== undefined && { SSEKMSKeyId: encryption.keyId }) };
}

export const removedMeanwhile = (cause?: unknown) =>
  new AppError({ kind: 'canceled', code: 'upload_removed', message: 'The upload was removed before it was complete.', cause });
