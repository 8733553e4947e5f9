import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SAMPLES = fileURLToPath(new URL('../../../samples/', import.meta.url));
const MEDIA = /\.(mp3|wav|flac|ogg|m4a|mp4|mov|avi|webm|mkv)$/;

/** The recordings that lie in the repository. */
export async function sampleRecordings(): Promise<string[]> {
  const names = await readdir(SAMPLES);
  return names.filter((name) => MEDIA.test(name)).toSorted().map((name) => join(SAMPLES, name));
}
