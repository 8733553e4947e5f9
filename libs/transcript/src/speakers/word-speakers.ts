import { endsClause, endsSentence } from '../segments/sentence-end.js';
import type { Word } from '../transcript.js';
import type { SpeakerTurn } from './speaker-turns.js';
import type { TurnIndex } from './turn-index.js';

type Label = string | undefined;

/** A word that no turn covers belongs to the nearest one this far away; seconds. */
const REACH = 1;
/** Turns are found to about this precision: a word no deeper in one may belong to its neighbour; seconds. */
const EDGE_TOLERANCE = 0.3;
/** An interjection is set off by such pauses; seconds. */
const INTERJECTION_PAUSE = 0.3;
/** A shorter part in the middle of a sentence is no change of speaker; words and seconds. */
const ISLAND = { words: 2, seconds: 0.8 };

/**
 * Assigns a speaker to each word of a segment: by the largest overlap with a turn; a short run within another speaker's
 * sentence belongs to that speaker; and near the edge of a turn, the end of a sentence or a pause decides where the speaker
 * changes. Undefined when no turn is near.
 */
export function wordSpeakers(words: readonly Word[], turns: TurnIndex): Label[] {
  const labels = filled(words.map((word) => byOverlap(word, turns)), words);
  return movedToPauses(words, withoutIslands(words, labels), turns);
}

function byOverlap({ start, end }: Word, turns: TurnIndex): Label {
  const overlaps = new Map<string, number>();
  for (const turn of turns.near(start - REACH, end + REACH)) {
    const overlap = Math.min(turn.end, end) - Math.max(turn.start, start);
    // what is apart counts as less than any overlap, the nearer the more
    const known = overlaps.get(turn.speakerId) ?? -Infinity;
    overlaps.set(turn.speakerId, overlap > 0 ? Math.max(known, 0) + overlap : Math.max(known, overlap));
  }
  let best: [Label, number] = [undefined, -Infinity];
  for (const [speakerId, overlap] of overlaps) if (overlap > best[1]) best = [speakerId, overlap];
  return best[0];
}

/** A word far from every turn goes with the nearest word of its segment that is not. */
function filled(labels: readonly Label[], words: readonly Word[]): Label[] {
  return labels.map((label, index) => {
    if (label !== undefined) return label;
    const before = labels.findLastIndex((other, at) => at < index && other !== undefined);
    const after = labels.findIndex((other, at) => at > index && other !== undefined);
    if (before < 0 || after < 0) return labels[Math.max(before, after)];
    return labels[gap(words, index, after) < gap(words, before, index) ? after : before];
  });
}

const gap = (words: readonly Word[], one: number, other: number): number => (words[other]?.start ?? Infinity) - (words[one]?.end ?? -Infinity);

/** Words from `from` to before `to` of one speaker. */
interface Run {
  from: number;
  to: number;
  label: Label;
}

function runsOf(labels: readonly Label[]): Run[] {
  const runs: Run[] = [];
  for (const [index, label] of labels.entries()) {
    const last = runs.at(-1);
    if (last?.label === label && last) last.to = index + 1;
    else runs.push({ from: index, to: index + 1, label });
  }
  return runs;
}

function withoutIslands(words: readonly Word[], labels: readonly Label[]): Label[] {
  const result = [...labels];
  const runs = runsOf(labels);
  for (const [index, run] of runs.entries()) {
    const [before, after] = [runs[index - 1], runs[index + 1]];
    if (!before || !after || before.label !== after.label || !isIsland(words, run)) continue;
    if (after.to - before.from - (run.to - run.from) > run.to - run.from) result.fill(before.label, run.from, run.to);
  }
  return result;
}

/** Short, within a sentence, and not set off by pauses. */
function isIsland(words: readonly Word[], { from, to }: Run): boolean {
  const seconds = (words[to - 1]?.end ?? 0) - (words[from]?.start ?? 0);
  if (to - from > ISLAND.words || seconds > ISLAND.seconds) return false;
  const isSetOff = (at: number) => pauseBefore(words, at) >= INTERJECTION_PAUSE || sentenceEndsBefore(words, at);
  return !(isSetOff(from) && isSetOff(to));
}

function movedToPauses(words: readonly Word[], labels: Label[], turns: TurnIndex): Label[] {
  for (let change = 1; change < labels.length; change++) {
    const [before, after] = [labels[change - 1], labels[change]];
    if (before === after) continue;
    const best = bestChange(words, labels, change, turns);
    if (best < change) labels.fill(after, best, change);
    else labels.fill(before, change, best);
    change = Math.max(change, best);
  }
  return labels;
}

/** Finds the actual change between two words: the index of the first word after it. */
function bestChange(words: readonly Word[], labels: readonly Label[], change: number, turns: TurnIndex): number {
  let best = change;
  let highest = breakQuality(words, change);
  const consider = (at: number) => {
    const quality = breakQuality(words, at);
    if (quality > highest) [best, highest] = [at, quality];
  };
  for (let at = change - 1; at >= 0 && labels[at] === labels[change - 1] && depthFromEnd(words[at], labels[at], turns) <= EDGE_TOLERANCE; at--) consider(at);
  for (let at = change; at < words.length && labels[at] === labels[change] && depthFromStart(words[at], labels[at], turns) <= EDGE_TOLERANCE; at++) consider(at + 1);
  return best;
}

/** Seconds from where the word begins to where its speaker's turn ends. */
const depthFromEnd = (word: Word | undefined, label: Label, turns: TurnIndex): number =>
  word ? ofSpeaker(word, label, turns).reduce((depth, { end }) => Math.max(depth, end - word.start), 0) : Infinity;

/** Seconds from where its speaker's turn begins to where the word ends. */
const depthFromStart = (word: Word | undefined, label: Label, turns: TurnIndex): number =>
  word ? ofSpeaker(word, label, turns).reduce((depth, { start }) => Math.max(depth, word.end - start), 0) : Infinity;

const ofSpeaker = ({ start, end }: Word, label: Label, turns: TurnIndex): SpeakerTurn[] => turns.near(start, end).filter(({ speakerId }) => speakerId === label);

/** The probability that the speaker changes before a word. The edges of a segment are ends of sentences, or pauses. */
function breakQuality(words: readonly Word[], at: number): number {
  if (at === 0 || at === words.length || sentenceEndsBefore(words, at)) return 3;
  return (endsClause(words[at - 1]?.text ?? '') ? 1 : 0) + Math.min(pauseBefore(words, at), 0.5) * 4;
}

function sentenceEndsBefore(words: readonly Word[], at: number): boolean {
  const [before, next] = [words[at - 1], words[at]];
  return before !== undefined && endsSentence(before.text, next?.text);
}

/** Seconds; at the edges of the segment there is no end to it. */
const pauseBefore = (words: readonly Word[], at: number): number => gap(words, at - 1, at);
