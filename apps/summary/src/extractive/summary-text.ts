import { keyphrases, pickDiverse, type RankedLine, type SpokenLine, type WeightedLine } from '@parlance/text-analysis';
import type { SummaryRequest, SummaryResult } from '../engine/summary-engine.js';
import { mention } from '../engine/speaker-mentions.js';
import type { Analysis } from './analysis.js';
import { bullets, itemBullets, linesIn, NOTHING } from './line-text.js';
import { clock, sentence } from './sentence.js';
import { templateText } from './template-text.js';

type Items = Pick<SummaryResult, 'actionItems' | 'keyDecisions' | 'insights'>;

const between = (value: number, min: number, max: number): number => Math.max(min, Math.min(max, Math.round(value)));

/** The summary in the requested format, in the speakers' own sentences. */
export async function summaryText(analysis: Analysis, { format, template }: SummaryRequest, items: Items): Promise<string> {
  switch (format) {
    case 'brief':
      return linesIn(analysis, between(analysis.lines.length / 10, 2, 5)).map(({ text }) => sentence(text)).join(' ');
    case 'bullets':
      return bullets(linesIn(analysis, between(analysis.lines.length / 8, 3, 10)));
    case 'detailed':
      return detailed(analysis);
    case 'minutes':
      return minutes(analysis, items);
    case 'custom':
      return templateText(analysis, template ?? '', items);
  }
}

/** One paragraph for each part of the talk. */
async function detailed(analysis: Analysis): Promise<string> {
  const parts = (await stretches(analysis, (lines) => between(lines.length / 8, 2, 6))).map(({ title, lines }) => `**${title}**\n\n${lines.map(({ text }) => sentence(text)).join(' ')}`);
  return parts.length > 0 ? parts.join('\n\n') : linesIn(analysis, 5).map(({ text }) => sentence(text)).join(' ');
}

async function minutes(analysis: Analysis, { actionItems, keyDecisions }: Items): Promise<string> {
  const { speakers, recordedAt, duration } = analysis.transcript;
  const points = (await stretches(analysis, (lines) => between(lines.length / 12, 1, 4))).map(({ title, lines }) => `**${title}**\n${bullets(lines)}`);
  const sections: [string, string][] = [
    ['Meeting', `Date: ${recordedAt.toISOString().slice(0, 10)}\nLength: ${clock(duration)}${speakers.length === 0 ? '' : `\nSpeakers: ${speakers.map(({ speakerId }) => mention(speakerId)).join(', ')}`}`],
    ['Points', points.length > 0 ? points.join('\n\n') : bullets(linesIn(analysis, 5))],
    ['Decisions', itemBullets(keyDecisions)],
    ['Action items', itemBullets(actionItems)],
  ];
  return sections.map(([title, body]) => `## ${title}\n\n${body === '' ? NOTHING : body}`).join('\n\n');
}

interface Stretch {
  title: string;
  lines: SpokenLine[];
}

/** The parts of the talk, each with its title, its times and its best lines. */
async function stretches(analysis: Analysis, countOf: (segment: readonly WeightedLine[]) => number): Promise<Stretch[]> {
  const byIndex = new Map(analysis.ranked.map((line) => [line.index, line]));
  const found: Stretch[] = [];
  for (const segment of analysis.segments) {
    await analysis.slices.next();
    const inside: RankedLine[] = segment.flatMap(({ index }) => byIndex.get(index) ?? []).toSorted((a, b) => b.score - a.score);
    const lines = pickDiverse(inside, countOf(segment), analysis.likeness).map(({ line }) => line);
    if (lines.length > 0) found.push({ title: titleOf(segment, analysis), lines });
  }
  return found;
}

/** `Roof, library, budget (1:20–5:00)` */
function titleOf(segment: readonly WeightedLine[], { counts, lines }: Analysis): string {
  const about = keyphrases(segment, 3, counts, lines.length).map((phrase) => phrase.charAt(0).toUpperCase() + phrase.slice(1)).join(', ');
  const time = `${clock(segment[0]?.line.start ?? 0)}–${clock(segment.at(-1)?.line.end ?? 0)}`;
  return about === '' ? time : `${about} (${time})`;
}
