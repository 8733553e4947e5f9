import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { notFound } from '@parlance/platform';
import type { S3Bucket } from './s3-bucket.js';
import { fromS3Error, isMissingObject, isPastEnd } from './s3-errors.js';

/** Lost connections in a row without a byte between them. */
const MAX_LOST = 3;

interface Opened {
  chunks: Readable | undefined;
  etag: string | undefined;
}

/**
 * The bytes of an object from `start` to before `end`. The request is made before this resolves; a connection that is lost on
 * the way is made again from there on, of the same object.
 * @throws AppError not_found
 */
export async function readObject(bucket: S3Bucket, key: string, start: number, end: number): Promise<AsyncIterable<Uint8Array>> {
  const opened = await openRange(bucket, key, start, end, undefined);
  return readOn(bucket, key, start, end, opened);
}

async function* readOn(bucket: S3Bucket, key: string, start: number, end: number, { chunks: first, etag }: Opened): AsyncGenerator<Uint8Array> {
  let position = start;
  let chunks = first;
  for (let lost = 0; chunks !== undefined; ) {
    try {
      for await (const chunk of chunks) {
        position += (chunk as Uint8Array).byteLength;
        lost = 0;
        yield chunk as Uint8Array;
      }
      return;
    } catch (error) {
      lost += 1;
      if (lost > MAX_LOST || position >= end) throw fromS3Error(error);
    } finally {
      chunks.destroy();
    }
    ({ chunks } = await openRange(bucket, key, position, end, etag));
  }
}

/** No chunks when the range begins behind the end. @param etag of the object that it must still be */
async function openRange({ client, bucket, prefix }: S3Bucket, key: string, start: number, end: number, etag: string | undefined): Promise<Opened> {
  const range = start === 0 && end === Infinity ? {} : { Range: `bytes=${start}-${end === Infinity ? '' : end - 1}` };
  try {
    const { Body: body, ETag } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + key, ...range, ...(etag !== undefined && { IfMatch: etag }) }));
    return { chunks: body as Readable | undefined, etag: ETag };
  } catch (error) {
    if (isPastEnd(error)) return { chunks: undefined, etag: undefined };
    throw isMissingObject(error) ? notFound('The object') : fromS3Error(error);
  }
}
