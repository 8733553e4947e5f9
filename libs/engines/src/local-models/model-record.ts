import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CatalogueModel } from './model-catalogue.js';

const RECORD = 'parlance-model.json';

const modelRecord = z.object({
  name: z.string(),
  source: z.string(),
  /** The verified checksum of the source. */
  sha256: z.string(),
  license: z.object({ name: z.string(), url: z.string() }),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});

/** The record stored beside a model's files: what they are, their origin, and their checksums after unpacking. */
export type ModelRecord = z.output<typeof modelRecord>;

/** A file of a model that is missing or damaged. */
export interface FileFault {
  path: string;
  fault: 'missing' | 'damaged';
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(block as Uint8Array);
  return hash.digest('hex');
}

/** Writes the record of what lies in the folder, each file of it to the disk first. */
export async function writeRecord(folder: string, { name, source, sha256, license }: CatalogueModel): Promise<ModelRecord> {
  const files: ModelRecord['files'] = [];
  for (const path of (await readdir(folder)).toSorted()) {
    files.push({ path, bytes: (await stat(join(folder, path))).size, sha256: await sha256Of(join(folder, path)) });
    await flush(join(folder, path));
  }
  const record = { name, source, sha256, license, files };
  const file = await open(join(folder, RECORD), 'w');
  await file.writeFile(`${JSON.stringify(record, null, 2)}\n`);
  await file.sync();
  await file.close();
  await flush(folder);
  return record;
}

/** Undefined where no model was put by `get`. */
export async function readRecord(folder: string): Promise<ModelRecord | undefined> {
  try {
    return modelRecord.parse(JSON.parse(await readFile(join(folder, RECORD), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Reads every file again. */
export async function faultsOf(folder: string, { files }: ModelRecord): Promise<FileFault[]> {
  const faults: FileFault[] = [];
  for (const { path, sha256 } of files) {
    const found = await sha256Of(join(folder, path)).catch(() => undefined);
    if (found === undefined) faults.push({ path, fault: 'missing' });
    else if (found !== sha256) faults.push({ path, fault: 'damaged' });
  }
  return faults;
}

/** Files and folders survive a power cut only when they are flushed, and the folder for its names. */
export async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
