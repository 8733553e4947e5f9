import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

const pathOf = (entry: Dirent): string => join(entry.parentPath, entry.name);

/** Files, absolute paths; what goes while it is looked at may or may not be among them. */
export async function filesBelow(folder: string): Promise<string[]> {
  return (await entriesBelow(folder)).filter((entry) => entry.isFile()).map(pathOf);
}

/** Files and folders of a scratch folder of services, `<service>/…`. */
export async function scratchEntries(folder: string): Promise<string[]> {
  const paths = (await entriesBelow(folder)).map((entry) => relative(folder, pathOf(entry)));
  return paths.filter((path) => path.includes('/'));
}

/** Folder by folder: readdir's own recursion ends with an error, and without an answer, when one folder goes meanwhile. */
async function entriesBelow(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const below = entries.map(async (entry) => (entry.isDirectory() ? [entry, ...(await entriesBelow(pathOf(entry)))] : [entry]));
  return (await Promise.all(below)).flat();
}
