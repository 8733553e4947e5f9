import { ConfigError } from '@parlance/platform';
import { assertMediaKey } from '../media-key.js';

/** Encryption by the server: with its own keys, or with those of its key service. */
export type ServerSideEncryption = { algorithm: 'AES256' } | { algorithm: 'aws:kms'; keyId: string | undefined };

export interface S3Url {
  bucket: string;
  /** Before each key: empty, or with '/' at its end. */
  prefix: string;
  /** The endpoint of a server other than AWS. */
  endpoint: string | undefined;
  region: string | undefined;
  /** The bucket in the path, not in the host name. */
  forcePathStyle: boolean;
  encryption: ServerSideEncryption | undefined;
}

const OPTIONS = ['endpoint', 'region', 'forcePathStyle', 'sse', 'kmsKeyId'];
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html, and the dots and capitals that other servers take. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9.-]{1,61}[A-Za-z0-9]$/;

/** `s3://<bucket>/<prefix>?endpoint=…&region=…&forcePathStyle=true&sse=AES256|aws:kms&kmsKeyId=…` @throws ConfigError */
export function parseS3Url(text: string): S3Url {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:' || !BUCKET.test(url.hostname) || url.username !== '') throw wrong(['it must be s3://<bucket>[/<prefix>][?<options>]']);
  const options = url.searchParams;
  const problems = [...options.keys()].filter((name) => !OPTIONS.includes(name)).map((name) => `there is no option ${name}; there are ${OPTIONS.join(', ')}`);
  const endpoint = options.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) problems.push('endpoint must be http://… or https://…');
  const forcePathStyle = options.get('forcePathStyle') ?? 'false';
  if (!['true', 'false'].includes(forcePathStyle)) problems.push('forcePathStyle must be true or false');
  const prefix = url.pathname.replaceAll(/^\/+|(?<!\/)\/+$/g, '');
  if (!isKey(prefix)) problems.push('the prefix must be segments of letters, digits, ".", "_" and "-", joined by "/"');
  const encryption = encryptionOf(options, problems);
  if (problems.length > 0) throw wrong(problems);
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: options.get('region') ?? undefined,
    forcePathStyle: forcePathStyle === 'true',
    encryption,
  };
}

function encryptionOf(options: URLSearchParams, problems: string[]): ServerSideEncryption | undefined {
  const algorithm = options.get('sse');
  const keyId = options.get('kmsKeyId') ?? undefined;
  if (algorithm === 'aws:kms') return { algorithm, keyId };
  if (keyId !== undefined) problems.push('kmsKeyId requires sse=aws:kms');
  if (algorithm === 'AES256') return { algorithm };
  if (algorithm !== null) problems.push('sse must be AES256 or aws:kms');
  return undefined;
}

function isKey(prefix: string): boolean {
  try {
    if (prefix !== '') assertMediaKey(prefix);
    return true;
  } catch {
    return false;
  }
}

const wrong = (problems: string[]) => new ConfigError(problems.map((problem) => `MEDIA_URL: ${problem}`));
