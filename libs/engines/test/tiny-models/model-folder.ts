import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFiles } from './tiny-transducers.js';

/** Writes a model's files to a folder of that name. @returns the folder */
export async function writeModel(parent: string, name: string, files: ModelFiles): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder, { recursive: true });
  await Promise.all(Object.entries(files).map(([file, content]) => writeFile(join(folder, file), content)));
  return folder;
}

/** Seconds of noise and silence in turn, silence first; the noise is the same each time (a linear congruential generator). */
export function noisePcm(...seconds: number[]): Uint8Array {
  let state = 1;
  const samples = seconds.flatMap((length, turn) =>
    Array.from({ length: Math.round(length * 16_000) }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return turn % 2 === 0 ? 0 : Math.round((state / 2 ** 31 - 1) * 8000);
    }),
  );
  return new Uint8Array(Int16Array.from(samples).buffer);
}
