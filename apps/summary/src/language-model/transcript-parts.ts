import { createHash } from 'node:crypto';
import type { SpokenLine } from '@parlance/text-analysis';

/** A stretch of a transcript that fits into one request. */
export interface TranscriptPart {
  /** The index of its first line in the transcript. */
  first: number;
  lines: readonly SpokenLine[];
  /** The text in the prompt. */
  text: string;
}

/** The text of a segment in the prompt: its number, its speaker and its words. */
export const written = ({ speakerId, text }: SpokenLine, number: number): string => `[${number}]${speakerId === undefined ? '' : ` ${speakerId}:`} ${text.replaceAll(/\s+/gu, ' ')}`;

/** The transcript in parts of at most so many tokens and lines, each as long as it can be; a segment is never cut. */
export function transcriptParts(lines: readonly SpokenLine[], maxTokens: number, countTokens: (text: string) => number, maxLines = Infinity): TranscriptPart[] {
  const parts: TranscriptPart[] = [];
  let held: string[] = [];
  let first = 0;
  let tokens = 0;
  const flush = (next: number) => {
    if (held.length > 0) parts.push({ first, lines: lines.slice(first, next), text: held.join('\n') });
    [held, first, tokens] = [[], next, 0];
  };
  for (const [number, line] of lines.entries()) {
    const text = written(line, number);
    const cost = countTokens(text) + 1;
    if (tokens + cost > maxTokens || held.length >= maxLines) flush(number);
    held.push(text);
    tokens += cost;
  }
  flush(lines.length);
  return parts;
}

/** A tag derived from the text that it encloses, so that no spoken words can close it. */
export const tagFor = (text: string): string => `transcript-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
