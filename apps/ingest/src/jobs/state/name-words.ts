import type { JobSource } from './job-source.js';

const MAX_WORDS = 32;
const MAX_WORD_LENGTH = 40;
const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text as lists of jobs are searched by them: lower case, without accents, each once; at most 32 of 40 characters. */
export function searchWords(text: string): string[] {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = Array.from(folded.matchAll(WORD), ([word]) => [...word].slice(0, MAX_WORD_LENGTH).join(''));
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** The words that a job is found by: those of its title, and of its file's name, be it an upload's or the last part of its address. */
export const nameWords = ({ source, title = '' }: { source: JobSource; title?: string | undefined }): string[] => searchWords(`${title} ${fileNameOf(source)}`);

function fileNameOf(source: JobSource): string {
  if (source.kind === 'live') return '';
  if (source.kind === 'upload') return source.fileName ?? '';
  const name = URL.parse(source.url)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
