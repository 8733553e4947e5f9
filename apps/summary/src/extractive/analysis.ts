import type { TextEmbedder } from '@parlance/engines';
import { primaryLanguage } from '@parlance/languages';
import { TimeSlices } from '@parlance/platform/async';
import { lexRank, likenessOfTerms, lineCounts, shortLines, TermReader, topicSegments, weighLines, type Likeness, type RankedLine, type WeightedLine } from '@parlance/text-analysis';
import type { TranscriptText } from '../engine/summary-engine.js';

/** The analysis of a transcript that summary and highlights are extracted from. */
export interface Analysis {
  /** The transcript, with long lines cut into phrases. */
  transcript: TranscriptText;
  isEnglish: boolean;
  reader: TermReader;
  lines: readonly WeightedLine[];
  /** The lines that matter, the best first. */
  ranked: readonly RankedLine[];
  /** The parts of the talk, each about one topic. */
  segments: readonly (readonly WeightedLine[])[];
  /** The number of lines with each stem. */
  counts: ReadonlyMap<string, number>;
  /** Similarity by words and, for the lines that matter most, by meaning. */
  likeness: Likeness;
  slices: TimeSlices;
  signal: AbortSignal;
}

export const isEnglish = (language: string): boolean => primaryLanguage(language) === 'en';

/** Matches courtesies of greeting and parting, in English. In a talk about many things they would be what its lines have in common. */
const COURTESY = /\b(?:thank you (?:very much|all|for (?:coming|having|joining|your time))|thanks (?:everyone|everybody|for (?:coming|having|joining|your time))|meet again|see you|talk (?:again|to you) (?:soon|later|then|next)|good ?bye|have a (?:good|great|nice)|nice to meet)\b/iu;
const COURTESY_WEIGHT = 0.1;

/** Cuts long lines without full stops into phrases. */
export const inPhrases = (spoken: TranscriptText): TranscriptText => ({ ...spoken, lines: shortLines(spoken.lines) });

/** @param transcript in phrases @param options.emphasis of a user, in his words: lines about it matter more */
export async function analyze(transcript: TranscriptText, signal: AbortSignal, { emphasis = '', embedder }: { emphasis?: string | undefined; embedder: TextEmbedder }): Promise<Analysis> {
  const slices = new TimeSlices(signal);
  const reader = await TermReader.of(transcript.language);
  const lines = await weighLines(transcript.lines, reader, slices);
  const wanted = new Set(reader.terms(emphasis).map(({ stem }) => stem));
  const courtesy = isEnglish(transcript.language) ? COURTESY : undefined;
  const ranked = await lexRank(lines, slices, ({ line, vector }) => (courtesy?.test(line.text) ? COURTESY_WEIGHT : 1) * (1 + 3 * [...wanted].filter((stem) => vector.has(stem)).length));
  const segments = await topicSegments(lines, slices);
  return { transcript, isEnglish: isEnglish(transcript.language), reader, lines, ranked, segments, counts: lineCounts(lines), likeness: await likenessOf(ranked, transcript.language, signal, embedder), slices, signal };
}

/** The number of best lines that get a vector. Other lines are not picked. */
const EMBEDDED = 150;

/** Similarity by meaning as well: "We cannot afford it" repeats "The budget is too small" without a common word. */
async function likenessOf(ranked: readonly RankedLine[], language: string, signal: AbortSignal, embedder: TextEmbedder): Promise<Likeness> {
  const { languages, maxBatch } = embedder.info;
  if (languages.length > 0 && !languages.includes(primaryLanguage(language))) return likenessOfTerms;
  const best = ranked.slice(0, Math.min(EMBEDDED, maxBatch));
  const embedded = await embedder.embed({ texts: best.map(({ line }) => line.text), purpose: 'passage', signal });
  const vectors = new Map(best.flatMap(({ index }, number) => (embedded[number] ? [[index, embedded[number]] as const] : [])));
  return (a, b) => {
    const [first, second] = [vectors.get(a.index), vectors.get(b.index)];
    return Math.max(likenessOfTerms(a, b), first && second ? dot(first, second) : 0);
  };
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
