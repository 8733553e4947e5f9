import { moodLabel, type Evidence } from '@parlance/text-analysis';
import type { HighlightsResult, Mood, SentimentResult, TimeRange, Topic, TranscriptText } from '../engine/summary-engine.js';
import { highlightsAnswer, type HighlightsAnswer } from './answers.js';
import type { EvidenceCheck } from './evidence-check.js';
import { speakerList, type ModelCalls } from './model-calls.js';
import type { Prompts } from './prompts.js';
import { transcriptParts, type TranscriptPart } from './transcript-parts.js';

type Found = Pick<HighlightsResult, 'keyMoments' | 'quotes' | 'insights' | 'topics' | 'sentiment'>;

interface HighlightsTask {
  transcript: TranscriptText;
  calls: ModelCalls;
  check: EvidenceCheck;
  prompts: Prompts;
  countTokens(text: string): number;
}

const MAX_ITEMS = 40;
/** The number of windows of a part whose mood the model rates. In a transcript of one part they are the timeline. */
const WINDOWS_A_PART = 8;

interface AnsweredPart {
  part: TranscriptPart;
  windows: Window[];
  answer: HighlightsAnswer;
}

interface Window extends TimeRange {
  first: number;
  last: number;
}

/** Asks for highlights of each part. The moods of parts are weighted by their lengths. */
export async function modelHighlights(task: HighlightsTask): Promise<Found> {
  const answered = await askParts(task);
  const { check, transcript } = task;
  const all = <Key extends 'key_moments' | 'quotes' | 'insights'>(key: Key): HighlightsAnswer[Key][number][] => answered.flatMap(({ answer }) => answer[key] as HighlightsAnswer[Key][number][]);
  const bySegment = new Map(transcript.lines.map((line) => [line.segmentId, line.speakerId]));
  return {
    keyMoments: check.checked(all('key_moments'), ({ title }, evidence) => ({ title, ...spanOf(evidence), evidence })).slice(0, MAX_ITEMS),
    quotes: check
      .checked(all('quotes'), (_quote, evidence) => {
        const [first] = evidence;
        const speakerId = bySegment.get(first?.segmentId ?? '');
        return { text: first?.quote ?? '', ...(speakerId !== undefined && { speakerId }), ...spanOf(evidence.slice(0, 1)), evidence };
      })
      .slice(0, MAX_ITEMS),
    insights: check.findings(all('insights')).slice(0, MAX_ITEMS),
    topics: topicsOf(answered, task),
    sentiment: sentimentOf(answered, task),
  };
}

async function askParts({ transcript, calls, prompts, countTokens }: HighlightsTask): Promise<AnsweredPart[]> {
  const speakers = speakerList(transcript);
  const longest = prompts.fill('highlights', { part: 99, parts: 99, windows: WINDOWS_A_PART, stretches: '100000 to 100000, '.repeat(WINDOWS_A_PART) });
  const parts = transcriptParts(transcript.lines, calls.room(longest) - countTokens(speakers), countTokens);
  const answered: AnsweredPart[] = [];
  for (const [index, part] of parts.entries()) {
    const windows = windowsOf(part);
    const stretches = windows.map(({ first, last }) => `segments ${first} to ${last}`).join(', ');
    const asked = prompts.fill('highlights', { part: index + 1, parts: parts.length, windows: windows.length, stretches });
    answered.push({ part, windows, answer: await calls.ask({ name: 'highlights', schema: highlightsAnswer(windows.length), task: asked, material: speakers + part.text }) });
  }
  return answered;
}

/** Windows with about equal numbers of segments. */
function windowsOf({ first, lines }: TranscriptPart): Window[] {
  const size = Math.max(1, Math.ceil(lines.length / WINDOWS_A_PART));
  const windows: Window[] = [];
  for (let start = 0; start < lines.length; start += size) {
    const [begin, end] = [lines[start], lines[Math.min(start + size, lines.length) - 1]];
    if (begin && end) windows.push({ first: first + start, last: first + Math.min(start + size, lines.length) - 1, start: begin.start, end: end.end });
  }
  return windows;
}

const spanOf = (evidence: readonly Evidence[]): TimeRange => ({ start: Math.min(...evidence.map(({ start }) => start)), end: Math.max(...evidence.map(({ end }) => end)) });

/** The same topic in several parts is one; a range that is not in the transcript is that of the evidence. */
function topicsOf(answered: readonly AnsweredPart[], { check, transcript: { lines } }: HighlightsTask): Topic[] {
  const topics = new Map<string, Topic>();
  const found = check.checked(answered.flatMap(({ answer }) => answer.topics), (topic, evidence) => ({ topic, evidence }));
  for (const { topic, evidence } of found) {
    const { name, keyphrases, first_segment, last_segment } = topic;
    const [first, last] = [lines[first_segment], lines[last_segment]];
    const range = first && last && first_segment <= last_segment ? { start: first.start, end: last.end } : spanOf(evidence);
    const known = topics.get(name.toLowerCase());
    if (known) known.ranges = inOrder([...known.ranges, range]);
    else topics.set(name.toLowerCase(), { name, keyphrases: keyphrases.slice(0, 8), ranges: [range], evidence });
  }
  return [...topics.values()].slice(0, MAX_ITEMS);
}

/** In order and not overlapping. */
function inOrder(ranges: readonly TimeRange[]): TimeRange[] {
  const joined: TimeRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else joined.push({ ...range });
  }
  return joined;
}

function sentimentOf(answered: readonly AnsweredPart[], { check, transcript }: HighlightsTask): SentimentResult {
  const timeline = answered.flatMap(({ windows, answer }) =>
    windows.map(({ start, end }, index) => {
      const { score = 0, evidence = [] } = answer.moods[index] ?? {};
      return { start, end, mood: moodOf(score, check.evidence(evidence)) };
    }),
  );
  const overall = weighted(timeline.map(({ start, end, mood }) => ({ score: mood.score, weight: end - start })));
  const strongest = timeline.toSorted((a, b) => Math.abs(b.mood.score) - Math.abs(a.mood.score)).flatMap(({ mood }) => mood.evidence);
  return { overall: moodOf(overall, strongest.slice(0, 2)), bySpeaker: bySpeaker(answered, check, transcript), timeline };
}

/** The mood of each speaker; a part is weighted by the time that the speaker speaks in it. */
function bySpeaker(answered: readonly AnsweredPart[], check: EvidenceCheck, { lines }: TranscriptText): SentimentResult['bySpeaker'] {
  const heard = new Map<string, { score: number; weight: number }[]>();
  for (const { part, answer } of answered) {
    for (const { speaker, score } of answer.speakers) {
      const speakerId = check.speakerId(speaker);
      if (speakerId === undefined) continue;
      heard.set(speakerId, [...(heard.get(speakerId) ?? []), { score: bounded(score), weight: secondsOf(part.lines, speakerId) }]);
    }
  }
  return [...heard].map(([speakerId, scores]) => ({ speakerId, seconds: secondsOf(lines, speakerId), mood: moodOf(weighted(scores), []) }));
}

const secondsOf = (lines: TranscriptText['lines'], speakerId: string): number =>
  Math.round(lines.reduce((sum, line) => sum + (line.speakerId === speakerId ? line.end - line.start : 0), 0) * 1000) / 1000;

const bounded = (score: number): number => Math.round(Math.max(-1, Math.min(1, score)) * 1000) / 1000;

function moodOf(score: number, evidence: Evidence[]): Mood {
  const known = bounded(score);
  return { score: known, label: moodLabel(known), evidence };
}

function weighted(scores: readonly { score: number; weight: number }[]): number {
  const total = scores.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? 0 : scores.reduce((sum, { score, weight }) => sum + score * weight, 0) / total;
}
