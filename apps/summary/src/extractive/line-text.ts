import { pickDiverse, type SpokenLine } from '@parlance/text-analysis';
import { mention } from '../engine/speaker-mentions.js';
import type { Analysis } from './analysis.js';
import { sentence } from './sentence.js';

export const NOTHING = 'Nothing was found in the transcript.';

/** The lines with the most information and the least repetition; the first lines when none of them matters. */
export function linesIn({ ranked, transcript, likeness }: Pick<Analysis, 'ranked' | 'transcript' | 'likeness'>, count: number): SpokenLine[] {
  const picked = pickDiverse(ranked, count, likeness).map(({ line }) => line);
  return picked.length > 0 ? picked : transcript.lines.filter(({ text }) => text.trim() !== '').slice(0, count);
}

export const bullets = (lines: readonly SpokenLine[]): string => lines.map((line) => `- ${spoken(line)}`).join('\n');

/** The sentence with its speaker. */
export const spoken = ({ text, speakerId }: SpokenLine): string => `${speakerId === undefined ? '' : `${mention(speakerId)}: `}${sentence(text)}`;

export const itemBullets = (items: readonly { text: string; owner?: string | undefined; due?: string | undefined }[]): string =>
  items.map(({ text, owner, due }) => `- ${owner === undefined ? '' : `${owner}: `}${text}${due === undefined ? '' : ` (${due})`}`).join('\n');
