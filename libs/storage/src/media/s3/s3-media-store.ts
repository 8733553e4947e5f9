import { HeadBucketCommand, HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { notFound, toAppError } from '@parlance/platform';
import { assertMediaFolder, assertMediaKey, assertMediaPrefix } from '../media-key.js';
import type { MediaStore, PutOptions, PutResult, ReadRange, StoredObject } from '../media-store.js';
import type { DirectParts } from '../direct-parts.js';
import type { AppendOptions, PartialObject } from '../partial-object.js';
import { s3Bucket, type S3Bucket } from './s3-bucket.js';
import { fromS3Error, isMissingObject, storeUnavailable } from './s3-errors.js';
import { copyObject } from './s3-copy.js';
import { S3DirectParts } from './s3-direct-parts.js';
import { readObject } from './s3-object-reader.js';
import { asPartialError, S3Partials, tailPrefix } from './s3-partials.js';
import { S3Removal } from './s3-removal.js';
import { S3Uploads } from './s3-uploads.js';
import { parseS3Url } from './s3-url.js';

const CHECK_MS = 3_000;

/** Objects below a prefix of a bucket on S3, or on a server that speaks its protocol. */
export class S3MediaStore implements MediaStore {
  private readonly uploads: S3Uploads;
  private readonly removal: S3Removal;
  private readonly partials: S3Partials;
  readonly direct: DirectParts;

  constructor(private readonly bucket: S3Bucket) {
    this.uploads = new S3Uploads(bucket);
    this.removal = new S3Removal(bucket);
    this.partials = new S3Partials(bucket, this);
    this.direct = new S3DirectParts(bucket, this.partials);
  }

  /** Asks the server nothing; `check` does. @throws ConfigError */
  static open(url: string): S3MediaStore {
    return new S3MediaStore(s3Bucket(parseS3Url(url)));
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutResult> {
    assertMediaKey(key);
    return this.uploads.receive(key, body, options);
  }

  /** The result holds a connection: read it, or at least begin to. */
  async get(key: string, { start = 0, end = Infinity, found }: ReadRange = {}): Promise<AsyncIterable<Uint8Array>> {
    assertMediaKey(key);
    if (start < end) return readObject(this.bucket, key, start, end);
    if (!(found ?? (await this.head(key)))) throw notFound('The object');
    return nothing();
  }

  begin(key: string): Promise<PartialObject> {
    assertMediaKey(key);
    return this.partials.begin(key);
  }

  append(partial: PartialObject, body: AsyncIterable<Uint8Array>, options: AppendOptions): Promise<PartialObject> {
    return this.partials.append(partial, body, options);
  }

  async finish(partial: PartialObject): Promise<StoredObject> {
    try {
      await this.partials.finish(partial);
    } catch (error) {
      const known = asPartialError(error);
      // An earlier call may have finished it, and its answer may be lost.
      if (toAppError(known).code !== 'upload_removed' || (await this.head(partial.key))?.sizeBytes !== partial.sizeBytes) throw known;
    }
    // Also tails of appends that were interrupted.
    for await (const { key } of this.list(tailPrefix(partial.key))) await this.removal.removeKey(key).catch(asAppError);
    return { key: partial.key, sizeBytes: partial.sizeBytes };
  }

  async head(key: string): Promise<StoredObject | undefined> {
    assertMediaKey(key);
    const { client, bucket, prefix } = this.bucket;
    try {
      const { ContentLength: sizeBytes = 0 } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + key }));
      return { key, sizeBytes };
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw fromS3Error(error);
    }
  }

  async copy(from: string, to: string): Promise<StoredObject> {
    assertMediaKey(to);
    const source = await this.head(from);
    if (!source) throw notFound('The object');
    await copyObject(this.bucket, source, to);
    return { key: to, sizeBytes: source.sizeBytes };
  }

  list(prefix: string): AsyncIterable<StoredObject> {
    assertMediaPrefix(prefix);
    return this.below(prefix);
  }

  async remove(key: string): Promise<boolean> {
    // The server answers the same whether there was one.
    const existed = (await this.head(key)) !== undefined;
    await this.removal.removeKey(key).catch(asAppError);
    return existed;
  }

  async removePrefix(prefix: string): Promise<number> {
    assertMediaFolder(prefix);
    // Uploads first: one that ends meanwhile is then among the objects, or nowhere.
    await this.uploads.abandon(prefix).catch(asAppError);
    return this.removal.removeBelow(prefix).catch(asAppError);
  }

  async check(): Promise<void> {
    const { client, bucket } = this.bucket;
    const overdue = AbortSignal.timeout(CHECK_MS);
    try {
      await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: overdue });
    } catch (error) {
      // The answer to HEAD has no body that would distinguish a missing bucket from other faults.
      if (isMissingObject(error)) throw storeUnavailable(`The media store has no bucket ${bucket}.`, error);
      if (overdue.aborted) throw storeUnavailable(`The media store has not answered for ${CHECK_MS / 1000} s.`, error);
      throw fromS3Error(error);
    }
  }

  private async *below(prefix: string): AsyncGenerator<StoredObject> {
    const { client, bucket, prefix: root } = this.bucket;
    let token: string | undefined;
    do {
      const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: root + prefix, ContinuationToken: token })).catch(asAppError);
      for (const { Key: key, Size: sizeBytes = 0 } of page.Contents ?? []) {
        if (key !== undefined) yield { key: key.slice(root.length), sizeBytes };
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }
}

const asAppError = (error: unknown): never => {
  throw fromS3Error(error);
};

async function* nothing(): AsyncGenerator<Uint8Array> {}
