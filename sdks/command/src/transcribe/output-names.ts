import { extname } from 'node:path';

/**
 * The names, without the extension of a format, under which the transcripts of some files are written: `talk` for talk.mp3, and
 * `talk.mp3` and `talk.wav` where both are there. Files of one name are numbered.
 */
export function outputStems(fileNames: readonly string[]): string[] {
  const safe = fileNames.map(safeName);
  const counts = countBy(safe.map((name) => stemOf(name).toLowerCase()));
  const chosen = safe.map((name) => ((counts.get(stemOf(name).toLowerCase()) ?? 0) > 1 ? name : stemOf(name)));
  const taken = new Set<string>();
  return chosen.map((name) => {
    let free = name;
    for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${name}-${number}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

/** The name without its extension. */
export function stemOf(fileName: string): string {
  const extension = extname(fileName);
  return fileName.slice(0, fileName.length - extension.length) || fileName;
}

/** A name that every file system accepts and that stays in its folder. */
export function safeName(fileName: string): string {
  const name = fileName.replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_').replace(/^\.+/, '');
  return truncated(name) || 'recording';
}

/** The longest name, with room for the extension of a format. */
const MAX_NAME_BYTES = 200;

function truncated(name: string): string {
  let text = name;
  while (Buffer.byteLength(text) > MAX_NAME_BYTES) text = Array.from(text).slice(0, -1).join('');
  return text;
}

function countBy(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
