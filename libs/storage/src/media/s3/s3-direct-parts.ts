import { ListPartsCommand, UploadPartCommand, type ListPartsCommandOutput } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { DirectParts } from '../direct-parts.js';
import { assertMediaKey } from '../media-key.js';
import type { PartialObject } from '../partial-object.js';
import { s3Bucket, type S3Bucket } from './s3-bucket.js';
import { asPartialError, type S3Partials } from './s3-partials.js';

/** Presigned requests for the parts of a multipart upload. */
export class S3DirectParts implements DirectParts {
  private readonly signer: () => S3Bucket;

  constructor(
    private readonly bucket: S3Bucket,
    private readonly partials: Pick<S3Partials, 'begin'>,
  ) {
    let made: S3Bucket | undefined;
    // The checksum that AWS would be sent by default is of the body, which only the client has.
    this.signer = () => (made ??= s3Bucket(bucket, { requestChecksumCalculation: 'WHEN_REQUIRED' }));
  }

  begin(key: string): Promise<PartialObject> {
    assertMediaKey(key);
    return this.partials.begin(key);
  }

  urls(partial: PartialObject, parts: number, seconds: number): Promise<string[]> {
    const numbers = Array.from({ length: parts }, (_, index) => index + 1);
    return Promise.all(numbers.map((PartNumber) => getSignedUrl(this.signer().client, new UploadPartCommand({ ...this.target(partial), PartNumber }), { expiresIn: seconds })));
  }

  async arrived(partial: PartialObject): Promise<PartialObject> {
    const parts: PartialObject['parts'] = [];
    let marker: string | undefined;
    do {
      const page: ListPartsCommandOutput = await this.bucket.client.send(new ListPartsCommand({ ...this.target(partial), PartNumberMarker: marker })).catch((error: unknown) => Promise.reject(asPartialError(error)));
      for (const { PartNumber: number, ETag: tag, Size: sizeBytes } of page.Parts ?? []) if (number !== undefined && tag !== undefined && sizeBytes !== undefined) parts.push({ number, tag, sizeBytes });
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return { ...partial, parts, sizeBytes: parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
  }

  private target({ key, session }: PartialObject) {
    return { Bucket: this.bucket.bucket, Key: this.bucket.prefix + key, UploadId: session };
  }
}
