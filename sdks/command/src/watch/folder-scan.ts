import { readdir, stat } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';

/** Extensions of recordings. */
const MEDIA = new Set('3gp aac ac3 aif aiff amr avi caf flac flv m4a m4b m4v mka mkv mov mp2 mp3 mp4 mpeg mpg mts oga ogg ogv opus ra ts vob wav webm weba wma wmv'.split(' '));

/** A recording as a scan found it. */
export interface FoundFile {
  /** Below the folder, with `/`. */
  path: string;
  size: number;
  mtimeMs: number;
}

/** The recordings in a folder and those below it. A folder below it that was removed, or cannot be read, has none. Names that begin with a dot, and the folder of the transcripts, are left out. */
export async function scan(folder: string, output: string): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const entriesOf = (directory: string) => readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (directory === folder) throw error;
    return [];
  });
  const visit = async (directory: string) => {
    for (const entry of await entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (entry.name.startsWith('.') || (entry.isDirectory() && resolve(path) === resolve(output))) continue;
      if (entry.isDirectory()) await visit(path);
      else if (MEDIA.has(extname(entry.name).slice(1).toLowerCase())) found.push(...(await fileAt(path, folder)));
    }
  };
  await visit(folder);
  return found.toSorted((one, other) => one.mtimeMs - other.mtimeMs);
}

/** Nothing for a file that was removed or is none. */
async function fileAt(path: string, folder: string): Promise<FoundFile[]> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? [{ path: relative(folder, path).split(sep).join('/'), size: found.size, mtimeMs: found.mtimeMs }] : [];
}

/** Says of each file of a scan whether it is whole: not empty, and unchanged for some time, whatever its clock says. */
export class SettledFiles {
  readonly #seen = new Map<string, { size: number; mtimeMs: number; since: number }>();

  constructor(private readonly settleMs: number) {}

  /** @param now milliseconds of a clock that does not jump */
  isWhole({ path, size, mtimeMs }: FoundFile, now: number): boolean {
    const seen = this.#seen.get(path);
    if (seen?.size === size && seen.mtimeMs === mtimeMs) return size > 0 && now - seen.since >= this.settleMs;
    this.#seen.set(path, { size, mtimeMs, since: now });
    return false;
  }

  keepOnly(paths: ReadonlySet<string>): void {
    for (const path of this.#seen.keys()) if (!paths.has(path)) this.#seen.delete(path);
  }
}
