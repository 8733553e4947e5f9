import { ConfigError } from '@parlance/platform';
import { FileMediaStore } from './file/file-media-store.js';
import type { MediaStore } from './media-store.js';

/**
 * The media store that the URL names: `file:<path of a folder>`, or `s3://<bucket>/<prefix>?<options>`.
 * @throws ConfigError when no adapter takes the URL.
 */
export async function openMediaStore(url: string): Promise<MediaStore> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  const rest = url.slice(scheme.length);
  if (scheme === 'file:' && rest !== '') return FileMediaStore.open(rest);
  if (scheme === 's3:') {
    // Here, so that the embedded shape does not pay for the SDK.
    const { S3MediaStore } = await import('./s3/s3-media-store.js');
    return S3MediaStore.open(url);
  }
  throw new ConfigError([`MEDIA_URL: no media store for ${scheme || 'a URL without a scheme'}; it must be file:<folder> or s3://<bucket>/<prefix>`]);
}
