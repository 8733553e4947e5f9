import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Url } from './s3-url.js';

/** Milliseconds; a socket on which nothing moves for so long is given up. */
const TIMEOUTS = { connectionTimeout: 5_000, socketTimeout: 60_000 };
const MAX_SOCKETS = 100;

/** A bucket with the client for it. Credentials come from the SDK's default chain: environment, files, web identity, instance role. */
export interface S3Bucket extends S3Url {
  client: S3Client;
}

export function s3Bucket(url: S3Url, config: S3ClientConfig = {}): S3Bucket {
  const client = new S3Client({
    ...(url.region !== undefined && { region: url.region }),
    ...(url.endpoint !== undefined && { endpoint: url.endpoint, region: url.region ?? 'us-east-1' }),
    forcePathStyle: url.forcePathStyle,
    maxAttempts: 5,
    requestHandler: { ...TIMEOUTS, httpAgent: { maxSockets: MAX_SOCKETS }, httpsAgent: { maxSockets: MAX_SOCKETS } },
    // Many servers other than AWS do not know the newer checksums.
    ...(url.endpoint !== undefined && { requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' }),
    ...config,
  });
  return { ...url, client };
}
