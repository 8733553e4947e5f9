import { DeleteObjectsCommand, GetBucketVersioningCommand, ListObjectVersionsCommand, ListObjectsV2Command, type ListObjectVersionsCommandOutput } from '@aws-sdk/client-s3';
import type { S3Bucket } from './s3-bucket.js';
import { storeUnavailable } from './s3-errors.js';

/** As many as one request may remove; a list has no more on a page. */
const REMOVE_AT_ONCE = 1000;

interface Removable {
  /** As the bucket has it. */
  Key: string;
  VersionId?: string | undefined;
  /** Not an older version, nor a mark that one was removed. */
  isObject: boolean;
}

/** Removes objects for good: where the bucket keeps versions, all of them. */
export class S3Removal {
  private versioned: Promise<boolean> | undefined;

  constructor(private readonly bucket: S3Bucket) {}

  async removeKey(key: string): Promise<void> {
    const Key = this.bucket.prefix + key;
    if (!(await this.hasVersions())) return this.removeAll([{ Key, isObject: true }]);
    for await (const page of this.versions(Key)) await this.removeAll(page.filter((one) => one.Key === Key));
  }

  /** @returns how many objects there were */
  async removeBelow(prefix: string): Promise<number> {
    const root = this.bucket.prefix + prefix;
    let removed = 0;
    for await (const page of (await this.hasVersions()) ? this.versions(root) : this.objects(root)) {
      await this.removeAll(page);
      removed += page.filter(({ isObject }) => isObject).length;
    }
    return removed;
  }

  private async removeAll(some: readonly Removable[]): Promise<void> {
    if (some.length === 0) return;
    const { client, bucket } = this.bucket;
    const Objects = some.map(({ Key, VersionId }) => ({ Key, ...(VersionId !== undefined && { VersionId }) }));
    const { Errors: errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }));
    const [first] = errors;
    if (first) throw storeUnavailable(`The media store did not remove ${errors.length} of ${some.length} objects (${first.Code ?? 'no reason given'}).`);
  }

  private async *objects(prefix: string): AsyncGenerator<Removable[]> {
    const { client, bucket } = this.bucket;
    let token: string | undefined;
    do {
      const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: REMOVE_AT_ONCE, ContinuationToken: token }));
      yield (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [{ Key, isObject: true }]));
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  private async *versions(prefix: string): AsyncGenerator<Removable[]> {
    const { client, bucket } = this.bucket;
    let position: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
    while (position) {
      const page: ListObjectVersionsCommandOutput = await client.send(
        new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, MaxKeys: REMOVE_AT_ONCE, ...position }),
      );
      const objects = (page.Versions ?? []).map(({ Key, VersionId, IsLatest }) => ({ Key, VersionId, isObject: IsLatest === true }));
      const marks = (page.DeleteMarkers ?? []).map(({ Key, VersionId }) => ({ Key, VersionId, isObject: false }));
      yield [...objects, ...marks].flatMap(({ Key, ...rest }) => (Key === undefined ? [] : [{ Key, ...rest }]));
      position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : undefined;
    }
  }

  /** Asked once. A server that does not say keeps none. */
  private hasVersions(): Promise<boolean> {
    const { client, bucket } = this.bucket;
    this.versioned ??= client.send(new GetBucketVersioningCommand({ Bucket: bucket })).then(
      ({ Status }) => Status !== undefined,
      (error: { $metadata?: { httpStatusCode?: number } }) => {
        if ([403, 405, 501].includes(error.$metadata?.httpStatusCode ?? 0)) return false;
        this.versioned = undefined;
        throw error;
      },
    );
    return this.versioned;
  }
}
