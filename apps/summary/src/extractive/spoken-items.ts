import { actionCue, dueDateReader, insightWeight, isDecision, isQuestion, QuoteFinder, type ActionCue, type RankedLine, type SpokenLine } from '@parlance/text-analysis';
import type { ActionItem, Finding } from '../engine/summary-engine.js';
import { mention } from '../engine/speaker-mentions.js';
import type { Analysis } from './analysis.js';
import { sentence } from './sentence.js';

const MAX_ACTION_ITEMS = 30;
const MAX_FINDINGS = 15;
const MIN_WORDS = 4;

const wordsOf = (text: string): number => text.trim().split(/\s+/u).length;
const finding = (line: SpokenLine): Finding => ({ text: sentence(line.text), evidence: [QuoteFinder.whole(line)] });

/** Tasks that a speaker takes on or gives to someone. Those with a date come first when there are too many. English only. */
export async function actionItems({ transcript, isEnglish, slices }: Analysis, isName: (word: string) => boolean): Promise<ActionItem[]> {
  if (!isEnglish) return [];
  const dueIn = await dueDateReader(transcript.language);
  const found: { item: ActionItem; weight: number; place: number }[] = [];
  for (const [place, line] of transcript.lines.entries()) {
    await slices.next();
    const cue = wordsOf(line.text) < MIN_WORDS ? undefined : actionCue(line.text, isName);
    if (!cue) continue;
    const due = dueIn(line.text, transcript.recordedAt);
    const owner = ownerOf(cue, line, nextSegment(transcript.lines, place));
    const item = { ...finding(line), ...(owner !== undefined && { owner }), ...(due && { due: due.date, dueText: due.text }) };
    found.push({ item, weight: cue.weight + (due ? 2 : 0), place });
  }
  return best(found, MAX_ACTION_ITEMS).map(({ item }) => item);
}

/** The next line that is no further phrase of the same segment. */
function nextSegment(lines: readonly SpokenLine[], place: number): SpokenLine | undefined {
  let next = place + 1;
  while (lines[next] && lines[next]?.segmentId === lines[place]?.segmentId) next++;
  return lines[next];
}

/** A request is assigned to the speaker who answers it. */
function ownerOf({ by }: ActionCue, { speakerId }: SpokenLine, next: SpokenLine | undefined): string | undefined {
  if (typeof by === 'object') return by.name.charAt(0).toUpperCase() + by.name.slice(1);
  if (by === 'speaker' && speakerId !== undefined) return mention(speakerId);
  if (by === 'listener' && next?.speakerId !== undefined && next.speakerId !== speakerId) return mention(next.speakerId);
  return undefined;
}

/** English only. */
export async function keyDecisions({ transcript, isEnglish, slices }: Analysis): Promise<Finding[]> {
  const found: { item: Finding; weight: number; place: number }[] = [];
  for (const [place, line] of isEnglish ? transcript.lines.entries() : []) {
    await slices.next();
    if (isDecision(line.text) && !isQuestion(line.text)) found.push({ item: finding(line), weight: 1, place });
  }
  return best(found, MAX_FINDINGS).map(({ item }) => item);
}

/** Lines that matter in the talk and are worded as findings. English only. */
export async function insights({ isEnglish, ranked, slices }: Analysis): Promise<Finding[]> {
  const mean = ranked.reduce((sum, { score }) => sum + score, 0) / (ranked.length || 1);
  const found: { item: Finding; weight: number; place: number }[] = [];
  for (const ranking of isEnglish ? ranked : []) {
    await slices.next();
    const weight = insightOf(ranking, mean);
    if (weight > 0) found.push({ item: finding(ranking.line), weight, place: ranking.index });
  }
  return best(found, Math.min(MAX_FINDINGS, 3 + Math.ceil(ranked.length / 40))).map(({ item }) => item);
}

function insightOf({ line, score, terms }: RankedLine, mean: number): number {
  if (isQuestion(line.text) || terms.length < 3) return 0;
  const weight = insightWeight(line.text);
  return weight === 0 ? 0 : weight * (0.5 + score / (mean || 1));
}

/** The items with the highest weights, in the order of the talk. */
function best<T extends { weight: number; place: number }>(found: readonly T[], count: number): T[] {
  return found.toSorted((a, b) => b.weight - a.weight || a.place - b.place).slice(0, count).toSorted((a, b) => a.place - b.place);
}
