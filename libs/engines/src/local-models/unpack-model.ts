import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar';
import unbzip2 from 'unbzip2-stream';
import type { CatalogueModel } from './model-catalogue.js';
import { modelFault } from './model-fault.js';

/** Files that a licence may require beside the model. */
const PAPERS = /^(LICENSE|LICENCE|MODEL_LICENSE|NOTICE|README)[\w.-]*$/i;

/**
 * Puts a model's files into a folder of its own, out of the source as it was downloaded. Of an archive only plain files by
 * their exact names below its one top folder are taken, so that nothing in it leads elsewhere.
 * @throws AppError model_unavailable when it is no such archive or lacks a file.
 */
export async function unpackModel(source: string, model: CatalogueModel, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (model.source.endsWith('.tar.bz2')) await unpackArchive(source, model, folder);
  else await copyFile(source, join(folder, basename(model.source)));
  const there = await readdir(folder);
  const missing = model.files.filter((file) => !there.includes(file));
  if (missing.length > 0) throw modelFault(`The archive of ${model.name} does not contain ${missing.join(', ')}.`);
}

async function unpackArchive(source: string, model: CatalogueModel, folder: string): Promise<void> {
  const wanted = (path: string): boolean => {
    const [, name, ...deeper] = path.replace(/^\.\//, '').split('/');
    return name !== undefined && deeper.length === 0 && (model.files.includes(name) || PAPERS.test(name));
  };
  const extraction = extract({
    cwd: folder,
    strip: 1,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    fmode: 0o644,
    filter: (path, entry) => 'type' in entry && ['File', 'OldFile', 'ContiguousFile'].includes(entry.type) && wanted(path),
  });
  try {
    await pipeline(createReadStream(source), unbzip2(), extraction);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw modelFault(`The archive of ${model.name} cannot be unpacked: ${(error as Error).message}.`, error);
  }
}
