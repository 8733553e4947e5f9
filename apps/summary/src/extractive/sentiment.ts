import { englishSentiment, moodLabel, QuoteFinder, type SpokenLine } from '@parlance/text-analysis';
import type { Mood, SentimentResult } from '../engine/summary-engine.js';
import type { Analysis } from './analysis.js';

const TIMELINE_PARTS = 12;
/** Minimum seconds of a part, as shorter ones say little about a mood. */
const MIN_PART = 30;
const EVIDENCE = 2;
/** Minimum strength of a line that is given as evidence of a mood. */
const NOTABLE = 0.3;

interface Scored {
  line: SpokenLine;
  score: number;
  /** The weight of the line by its length. */
  weight: number;
}

/** The mood of the talk by the VADER lexicon. English only: undefined for other languages. */
export async function sentimentOf({ transcript, isEnglish, slices }: Analysis): Promise<SentimentResult | undefined> {
  if (!isEnglish) return undefined;
  const score = await englishSentiment();
  const scored: Scored[] = [];
  for (const line of transcript.lines) {
    scored.push({ line, score: score(line.text), weight: Math.sqrt(line.text.length) });
    await slices.next();
  }
  return { overall: moodOf(scored), bySpeaker: bySpeaker(scored), timeline: timeline(scored, transcript.duration) };
}

function moodOf(scored: readonly Scored[]): Mood {
  const weight = scored.reduce((sum, each) => sum + each.weight, 0) || 1;
  const mean = scored.reduce((sum, each) => sum + each.score * each.weight, 0) / weight;
  const score = Math.round(mean * 1000) / 1000;
  const label = moodLabel(score);
  const direction = label === 'neutral' ? 0 : Math.sign(score);
  const strong = scored.filter((each) => each.score * direction >= NOTABLE).toSorted((a, b) => Math.abs(b.score) - Math.abs(a.score));
  return { score, label, evidence: strong.slice(0, EVIDENCE).map(({ line }) => QuoteFinder.whole(line)) };
}

function bySpeaker(scored: readonly Scored[]): SentimentResult['bySpeaker'] {
  const ofSpeaker = Map.groupBy(scored.filter(({ line }) => line.speakerId !== undefined), ({ line }) => line.speakerId ?? '');
  return [...ofSpeaker].map(([speakerId, said]) => ({ speakerId, seconds: secondsOf(said), mood: moodOf(said) }));
}

const secondsOf = (said: readonly Scored[]): number => Math.round(said.reduce((sum, { line }) => sum + line.end - line.start, 0) * 1000) / 1000;

function timeline(scored: readonly Scored[], duration: number): SentimentResult['timeline'] {
  const length = Math.max(MIN_PART, duration / TIMELINE_PARTS);
  const parts = Map.groupBy(scored, ({ line }) => Math.floor(line.start / length));
  return [...parts].map(([part, said]) => ({
    start: Math.round(part * length * 1000) / 1000,
    end: Math.round(Math.min(duration, (part + 1) * length) * 1000) / 1000,
    mood: moodOf(said),
  }));
}
