import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';

const SCHEME = /^([a-z][a-z\d+.-]+):\/\//i;
const TAKEN = 'give an http:// or https:// URL, or the path of a file';

/** An address rather than a path; whether it is one that is taken is for `problemOf`. */
export const isAddress = (source: string): boolean => SCHEME.test(source);

/**
 * Why the argument cannot be transcribed and what to do, in one line that names it; undefined when it can.
 * Nothing but a regular file is opened: a FIFO waits for its writer, and a device may do anything.
 */
export async function problemOf(source: string): Promise<string | undefined> {
  return isAddress(source) ? addressProblem(source) : fileProblem(source);
}

/** Why the file cannot be played into a live session; undefined when it can be tried. */
export async function liveProblemOf(source: string): Promise<string | undefined> {
  return isAddress(source) ? `${source}: --live plays a file; save the recording to one first.` : fileProblem(source);
}

function addressProblem(source: string): string | undefined {
  const scheme = SCHEME.exec(source)?.[1]?.toLowerCase() ?? '';
  if (scheme !== 'http' && scheme !== 'https') return `${source}: ${scheme}:// is not supported; ${TAKEN}.`;
  return URL.canParse(source) ? undefined : `${source} is not a valid URL; ${TAKEN}.`;
}

async function fileProblem(path: string): Promise<string | undefined> {
  if (path === '') return `An argument is empty; ${TAKEN}.`;
  try {
    const found = await stat(path);
    if (found.isDirectory()) return `${path} is a folder; give the recordings in it one by one.`;
    if (!found.isFile()) return `${path} is ${kindOf(found)}, not a file; save the recording to a file first.`;
    if (found.size === 0) return `${path} is empty (0 bytes); give a recording.`;
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    await file.close();
    return undefined;
  } catch (error) {
    return unreadable(path, error);
  }
}

function kindOf(found: Stats): string {
  if (found.isFIFO()) return 'a pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}

/** The error for a file that cannot be read, for its user. */
export function unreadable(path: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `${path} does not exist; give the path of a recording.`;
  if (code === 'EACCES' || code === 'EPERM') return `${path} may not be read by this user; change its permissions, or those of its folder.`;
  return `${path} cannot be read (${code ?? String(error)}).`;
}

/** The name of each recording in the output: its file's name, or the whole argument where two files have the same name. */
export function displayNames(sources: readonly string[]): string[] {
  const given = sources.map((source) => (isAddress(source) ? withoutSecrets(source) : source));
  const short = given.map((source) => (isAddress(source) ? source : basename(source) || source));
  const names = short.map((name, index) => (isUnique(short, name) ? name : (given[index] ?? name)));
  // The same one twice.
  return names.map((name, index) => (isUnique(names, name) ? name : `${name} (${names.slice(0, index + 1).filter((other) => other === name).length})`));
}

/** A query may hold a signature, and what is before the host a password. */
const withoutSecrets = (address: string): string => (address.split(/[?#]/, 1)[0] ?? '').replace(/\/\/[^/]*@/, '//');

const isUnique = (names: readonly string[], name: string): boolean => names.indexOf(name) === names.lastIndexOf(name);
