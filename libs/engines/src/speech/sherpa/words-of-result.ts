import { splitWords } from '@parlance/languages';
import { toMilliseconds } from '../pcm-format.js';
import type { RecognizedWord } from '../speech-recognizer.js';
import type { SherpaResult } from './sherpa-result.js';

/** A token without a duration lasts until the next, but no longer: what follows may be a pause. */
const MAX_TOKEN_SECONDS = 0.4;

/** A character, with the time in which it was said. */
interface Timed {
  start: number;
  end: number;
  /** Undefined when the model says nothing of it. */
  confidence: number | undefined;
}

/**
 * The words of a sherpa-onnx result, from `start` on for `seconds` of the chunk: timed by the model's tokens, else by its
 * segments, in which time is distributed by the length of the words.
 */
export function wordsOfResult(result: SherpaResult, start: number, seconds: number): RecognizedWord[] {
  const clamp = (time: number) => toMilliseconds(start + Math.min(Math.max(0, time), seconds));
  const words = result.timestamps.length > 0 ? wordsOfTokens(result, seconds) : segmentsOf(result, seconds).flatMap(spreadWords);
  return words.map(({ start: from, end, text, confidence }) => ({ start: clamp(from), end: Math.max(clamp(from), clamp(end)), text, ...(confidence !== undefined && { confidence }) }));
}

function wordsOfTokens(result: SherpaResult, seconds: number): RecognizedWord[] {
  const heard = charactersOf(result, seconds);
  const units = splitWords(result.text);
  const length = units.reduce((sum, unit) => sum + charactersIn(unit), 0);
  let at = 0;
  // The text is the tokens put together, though now and then with characters of several tokens in one (bytes): then about.
  const heardAt = (index: number) => heard[Math.min(heard.length - 1, Math.floor((index * heard.length) / length))];
  return units.flatMap((text) => {
    const first = heardAt(at);
    at += charactersIn(text);
    const last = heardAt(at - 1);
    if (!first || !last) return [];
    const within = heard.slice(heard.indexOf(first), heard.indexOf(last) + 1);
    return [{ start: first.start, end: last.end, text, confidence: meanConfidence(within) }];
  });
}

/** Each character that is no space, in its share of its token's time. */
function charactersOf({ tokens, timestamps, durations, ys_log_probs: logs }: SherpaResult, seconds: number): Timed[] {
  return tokens.flatMap((token, index) => {
    const start = timestamps[index] ?? seconds;
    const next = timestamps[index + 1] ?? seconds;
    const end = (durations[index] ?? 0) > 0 ? start + (durations[index] ?? 0) : Math.min(next, start + MAX_TOKEN_SECONDS);
    const log = logs[index];
    const confidence = log === undefined ? undefined : Math.min(1, Math.exp(log));
    const count = charactersIn(token);
    const share = (Math.max(start, end) - start) / Math.max(1, count);
    return Array.from({ length: count }, (_, nth) => ({ start: start + nth * share, end: start + (nth + 1) * share, confidence }));
  });
}

interface Segment {
  start: number;
  end: number;
  text: string;
}

/** Whisper's segments; the last may lack its end, and without any the text is somewhere in all of it. */
function segmentsOf(result: SherpaResult, seconds: number): Segment[] {
  const { segment_texts: texts, segment_timestamps: starts, segment_durations: durations, text } = result;
  if (texts.length === 0) return [{ start: 0, end: seconds, text }];
  return texts.map((segment, index) => {
    const start = starts[index] ?? 0;
    const duration = durations[index] ?? 0;
    return { start, end: duration > 0 ? start + duration : seconds, text: segment };
  });
}

function spreadWords({ start, end, text }: Segment): RecognizedWord[] {
  const units = splitWords(text);
  const share = Math.max(0, end - start) / Math.max(1, units.reduce((sum, unit) => sum + charactersIn(unit), 0));
  let at = start;
  return units.map((unit) => {
    const from = at;
    at += charactersIn(unit) * share;
    return { start: from, end: at, text: unit };
  });
}

/** A byte of a character, as `<0xE4>`, counts as one. */
const charactersIn = (text: string): number => [...text.replaceAll(/<0x[0-9A-F]{2}>/g, 'x').replaceAll(/\s/gu, '')].length;

/** The mean of the characters that have a confidence; undefined when none has. */
function meanConfidence(characters: readonly Timed[]): number | undefined {
  const known = characters.flatMap(({ confidence }) => confidence ?? []);
  return known.length === 0 ? undefined : toThousandths(known.reduce((sum, confidence) => sum + confidence, 0) / known.length);
}

const toThousandths = (share: number): number => Math.round(share * 1000) / 1000;
