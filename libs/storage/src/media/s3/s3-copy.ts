import { AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CopyObjectCommand, CreateMultipartUploadCommand, UploadPartCopyCommand, type CompletedPart } from '@aws-sdk/client-s3';
import { AppError, notFound } from '@parlance/platform';
import type { StoredObject } from '../media-store.js';
import type { S3Bucket } from './s3-bucket.js';
import { fromS3Error, isMissingObject } from './s3-errors.js';
import { encryptionParams } from './s3-uploads.js';

/** One request copies 5 GiB at most; a server may take long for as much, so that larger objects are copied in parts. */
const PART_BYTES = 1024 ** 3;

/** Copies within the bucket; the server moves the bytes. @throws AppError not_found */
export async function copyObject(bucket: S3Bucket, { key: from, sizeBytes }: StoredObject, to: string, partBytes = PART_BYTES): Promise<void> {
  try {
    if (sizeBytes <= partBytes) await copyWhole(bucket, from, to);
    else await copyInParts(bucket, from, sizeBytes, to, partBytes);
  } catch (error) {
    throw isMissingObject(error) ? notFound('The object') : fromS3Error(error);
  }
}

const targetOf = (bucket: S3Bucket, to: string) => ({ Bucket: bucket.bucket, Key: bucket.prefix + to });
/** Keys have no characters that a header or a URL would have to escape. */
const sourceOf = (bucket: S3Bucket, from: string) => ({ CopySource: `${bucket.bucket}/${bucket.prefix}${from}` });

async function copyWhole(bucket: S3Bucket, from: string, to: string): Promise<void> {
  await bucket.client.send(new CopyObjectCommand({ ...targetOf(bucket, to), ...sourceOf(bucket, from), ...encryptionParams(bucket) }));
}

async function copyInParts(bucket: S3Bucket, from: string, sizeBytes: number, to: string, partBytes: number): Promise<void> {
  const { client } = bucket;
  const target = targetOf(bucket, to);
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...target, ...encryptionParams(bucket) }));
  const starts = Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, index) => index * partBytes);
  const copyPart = async (start: number, index: number): Promise<CompletedPart> => {
    const range = `bytes=${start}-${Math.min(sizeBytes, start + partBytes) - 1}`;
    const { CopyPartResult } = await client.send(new UploadPartCopyCommand({ ...target, ...sourceOf(bucket, from), UploadId, PartNumber: index + 1, CopySourceRange: range }));
    if (CopyPartResult?.ETag === undefined) throw new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store did not copy a part.' });
    return { PartNumber: index + 1, ETag: CopyPartResult.ETag };
  };
  try {
    const Parts = await Promise.all(starts.map(copyPart));
    await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }));
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => undefined);
    throw error;
  }
}
