import { randomBytes } from 'node:crypto';
import { s3Bucket, type S3Bucket } from '../src/media/s3/s3-bucket.js';
import { S3MediaStore } from '../src/media/s3/s3-media-store.js';
import { S3Uploads } from '../src/media/s3/s3-uploads.js';
import { parseS3Url } from '../src/media/s3/s3-url.js';

/** A prefix of its own in a bucket on a real server. */
export class S3Playground {
  readonly url: string;
  readonly bucket: S3Bucket;

  /** @param options of the URL, beside those that the server needs */
  constructor({ endpoint = setting('S3_ENDPOINT'), bucket = setting('S3_BUCKET'), options = '' } = {}) {
    const prefix = `t-${randomBytes(6).toString('hex')}`;
    // Where the SDK's default chain looks first.
    process.env['AWS_ACCESS_KEY_ID'] = setting('S3_ACCESS_KEY_ID');
    process.env['AWS_SECRET_ACCESS_KEY'] = setting('S3_SECRET_ACCESS_KEY');
    this.url = `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&region=us-east-1&forcePathStyle=true${options}`;
    this.bucket = s3Bucket(parseS3Url(this.url));
  }

  connect(): S3MediaStore {
    return S3MediaStore.open(this.url);
  }

  async countUnfinished(): Promise<number> {
    let unfinished = 0;
    for await (const _ of new S3Uploads(this.bucket).unfinished('')) unfinished += 1;
    return unfinished;
  }

  async dispose(): Promise<void> {
    const store = this.connect();
    for await (const { key } of store.list('')) await store.remove(key);
    this.bucket.client.destroy();
  }
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
