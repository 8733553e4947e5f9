import { ConfigError } from '@parlance/platform';
import { FileMediaStore } from './file/file-media-store.js';
import type { DataKeys } from '../keys/data-keys.js';
import type { MediaStore } from './media-store.js';
import { SealedMediaStore } from './sealed/sealed-media-store.js';

/**
 * The media store that the URL names: `file:<path of a folder>`, or `s3://<bucket>/<prefix>?<options>`.
 * @param keys seal what is stored; without them it is stored in clear
 * @param options `onlyMarked`: they seal only new objects whose names ask for it, and open all that are sealed
 * @throws ConfigError when no adapter takes the URL.
 */
export async function openMediaStore(url: string, keys?: DataKeys, { onlyMarked = false } = {}): Promise<MediaStore> {
  const adapter = await openAdapter(url);
  return keys ? new SealedMediaStore(adapter, keys, { onlyMarked }) : adapter;
}

/** The store of sealed media itself, for a command that seals what was stored before. @throws ConfigError when no adapter takes the URL */
export const openSealedMediaStore = async (url: string, keys: DataKeys): Promise<SealedMediaStore> => new SealedMediaStore(await openAdapter(url), keys);

async function openAdapter(url: string): Promise<MediaStore> {
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
