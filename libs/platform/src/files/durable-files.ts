import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Brings the entries of a folder to the disk: a new file survives a power cut only with its name. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function syncFolderSync(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The folder and those above it, up to `root`. */
export function foldersUpTo(root: string, folder: string): string[] {
  return folder === root || dirname(folder) === folder ? [folder] : [folder, ...foldersUpTo(root, dirname(folder))];
}

/** Replaces the file's content for its owner alone. After a power cut there is the old content or the new one. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const fresh = await open(`${path}.new`, 'w', 0o600);
  await writeAndClose(fresh, content);
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}

async function writeAndClose(file: FileHandle, content: string): Promise<void> {
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
