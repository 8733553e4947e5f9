import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { ToolError } from './failures.js';

export interface AllowedFile {
  path: string;
  size: number;
  modifiedMs: number;
}

const REASONS: Record<string, string> = {
  ENOENT: 'There is no such file.',
  ENOTDIR: 'There is no such file.',
  EACCES: 'This process may not read it.',
};

/** A file that exists and may be read. @param folders the folders in which it has to be; links are followed before. @throws ToolError */
export async function allowedFile(given: string, folders: readonly string[] | undefined): Promise<AllowedFile> {
  const wanted = resolve(given.startsWith('~/') ? join(homedir(), given.slice(2)) : given);
  try {
    const path = await realpath(wanted);
    if (folders && !(await isIn(path, folders))) throw new ToolError(`${given} is not in a folder that this MCP server may read: ${folders.join(', ')}.`);
    const info = await stat(path);
    if (!info.isFile()) throw new ToolError(`${given} is not a file. Give the path of one recording.`);
    if (info.size === 0) throw new ToolError(`${given} is empty: there is nothing to transcribe.`);
    return { path, size: info.size, modifiedMs: info.mtimeMs };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? String(error);
    throw new ToolError(`${wanted} cannot be read: ${reason} Paths are those of the machine on which this MCP server runs. Give an absolute path, or a URL.`, { cause: error });
  }
}

async function isIn(path: string, folders: readonly string[]): Promise<boolean> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return real.some((folder) => {
    if (folder === undefined) return false;
    const inner = relative(folder, path);
    return inner !== '' && !inner.startsWith('..') && !isAbsolute(inner);
  });
}
