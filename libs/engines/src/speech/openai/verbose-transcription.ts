import { z } from 'zod';
import { splitWords } from '@parlance/languages';
import { engineFailed } from '../engine-errors.js';
import { toMilliseconds } from '../pcm-format.js';
import type { RecognizedWord } from '../speech-recognizer.js';

const probability = z.number().min(0).max(1);

/** The fields of a `verbose_json` answer that are read; servers differ in the others. */
export const verboseTranscription = z.object({
  text: z.string().default(''),
  language: z.string().nullish(),
  detected_language: z.string().nullish(),
  detected_language_probability: probability.nullish(),
  language_probability: probability.nullish(),
  language_probabilities: z.record(z.string(), probability).nullish(),
  segments: z
    .array(
      z.object({
        start: z.number(),
        end: z.number(),
        text: z.string(),
        avg_logprob: z.number().nullish(),
        no_speech_prob: z.number().nullish(),
      }),
    )
    .nullish(),
  words: z
    .array(z.object({ word: z.string(), start: z.number(), end: z.number(), probability: z.number().nullish() }))
    .nullish(),
});
export type VerboseTranscription = z.output<typeof verboseTranscription>;
type Segment = NonNullable<VerboseTranscription['segments']>[number];

/** Whisper's own rule for a stretch without speech (`decode` in openai/whisper transcribe.py). */
const NO_SPEECH_PROBABILITY = 0.6;
const NO_SPEECH_LOGPROB = -1;

/**
 * Whisper makes 448 tokens at most of a window of 30 s, and a server that cuts it at pauses may make as many of each part. A word has at
 * least one token, of five characters or fewer. What a model makes up in a loop is less than this, so that it does not fail the job.
 */
const WINDOW_SECONDS = 30;
const MAX_PER_WINDOW = { characters: 10_000, words: 2000, segments: 500 };

interface ReadWords {
  words: RecognizedWord[];
  /** True when the times were interpolated over segments instead of measured. */
  estimated: boolean;
}

/**
 * The words of an answer, in order and within `duration` seconds. Without word times each segment's (or the whole
 * text's) time is shared out by the length of its words; where the words are those of the text, its punctuation is kept.
 * @throws AppError engine_failed when the answer has more than can be said in that time: its work would hold the event loop
 */
export function readWords(answer: VerboseTranscription, duration: number): ReadWords {
  requirePlausible(answer, duration);
  const all = answer.segments ?? [];
  const segments = all.filter((segment) => !isSilence(segment));
  if (answer.words?.length) {
    const silences = all.filter(isSilence);
    const spoken = answer.words.filter(({ start, end }) => !silences.some((silence) => start >= silence.start && end <= silence.end));
    const words = spoken.map(({ word, start, end, probability }) => {
      const confidence = probability ?? confidenceOf(segments.find((segment) => start < segment.end && end > segment.start));
      return { start, end, text: word.trim(), confidence };
    });
    return { words: withinChunk(punctuated(words, answer.text), duration), estimated: false };
  }
  const stretches = all.length > 0 ? segments : [{ start: 0, end: duration, text: answer.text }];
  const words = stretches.flatMap(spreadWords);
  return { words: withinChunk(words, duration), estimated: words.length > 0 };
}

function requirePlausible({ text, segments, words }: VerboseTranscription, duration: number): void {
  const windows = Math.max(1, Math.ceil(duration / WINDOW_SECONDS));
  const texts = [[text], (segments ?? []).map((segment) => segment.text), (words ?? []).map(({ word }) => word)];
  const characters = Math.max(...texts.map((parts) => parts.reduce((sum, part) => sum + part.length, 0)));
  const isPlausible = characters <= windows * MAX_PER_WINDOW.characters && (words?.length ?? 0) <= windows * MAX_PER_WINDOW.words && (segments?.length ?? 0) <= windows * MAX_PER_WINDOW.segments;
  if (!isPlausible) throw engineFailed('The speech server answered with more text than can be said in the time of the chunk.');
}

const isSilence = ({ no_speech_prob: silence, avg_logprob: logprob }: Segment): boolean =>
  (silence ?? 0) > NO_SPEECH_PROBABILITY && (logprob ?? 0) < NO_SPEECH_LOGPROB;

/** Undefined when the answer says nothing about the segment. */
const confidenceOf = (segment: Segment | undefined): number | undefined => (segment?.avg_logprob == null ? undefined : Math.exp(segment.avg_logprob));

function spreadWords(segment: Segment): RecognizedWord[] {
  const tokens = tokensOf(segment.text);
  const characters = tokens.reduce((sum, token) => sum + token.length, 0);
  const secondsPerCharacter = Math.max(0, segment.end - segment.start) / Math.max(1, characters);
  const confidence = confidenceOf(segment);
  let at = segment.start;
  return tokens.map((text) => {
    const start = at;
    at += text.length * secondsPerCharacter;
    return { start, end: at, text, confidence };
  });
}

/** The API's words come without punctuation, its text with: where their letters are the same, each word is what the text has there. */
function punctuated(words: RecognizedWord[], text: string): RecognizedWord[] {
  const letters = words.map((word) => bare(word.text));
  if (letters.join('') !== bare(text)) return words;
  const reader = new TextReader(text);
  return words.map((word, index) => ({ ...word, text: reader.read(letters[index]?.length ?? 0) }));
}

/** Reads a text word by word, each with the punctuation that belongs to it. */
class TextReader {
  private readonly characters: readonly string[];
  private at = 0;

  constructor(text: string) {
    this.characters = [...text.trim()];
  }

  /** The next word of so many letters; nothing for a sign that went with the word before. */
  read(letters: number): string {
    if (letters === 0) return '';
    const from = this.at;
    for (let missing = letters; missing > 0 && this.at < this.characters.length; this.at += 1) missing -= bare(this.characters[this.at] ?? '').length;
    while (CLOSES_WORD.test(this.characters[this.at] ?? '')) this.at += 1;
    return this.characters.slice(from, this.at).join('').trim();
  }
}

/** Matches a character that is neither a letter nor a space and does not begin the next word. */
const CLOSES_WORD = /^[^\p{L}\p{M}\p{N}\s\p{Ps}\p{Pi}¿¡]$|^\p{M}$/u;

const tokensOf = (text: string): string[] => splitWords(text);
const bare = (token: string): string => token.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, '');

function withinChunk(words: readonly RecognizedWord[], duration: number): RecognizedWord[] {
  const clamp = (seconds: number) => toMilliseconds(Math.min(Math.max(0, seconds), duration));
  return words
    .filter(({ text }) => text !== '')
    .map(({ start, end, text, confidence }) => ({
      start: clamp(start),
      end: Math.max(clamp(start), clamp(end)),
      text,
      ...(confidence !== undefined && { confidence: Math.min(1, Math.max(0, confidence)) }),
    }))
    .toSorted((a, b) => a.start - b.start);
}
