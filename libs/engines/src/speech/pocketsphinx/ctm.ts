import { engineFailed } from '../engine-errors.js';
import { toMilliseconds } from '../pcm-format.js';
import type { RecognizedWord } from '../speech-recognizer.js';

/** The decoder's frames are 10 ms, and a last word may run over the end by its analysis window. */
const OVERRUN_SECONDS = 0.1;
const LINE = /^(\S+) 1 (-?\d+\.\d+) (-?\d+\.\d+) (\S+) (-?\d+\.\d+)$/;

/** A stretch of the chunk that was decoded on its own; seconds from the chunk's start. */
export interface DecodedUtterance {
  id: string;
  start: number;
  end: number;
}

/**
 * Reads the decoder's CTM (NIST sclite format: `utterance channel start duration word confidence`, seconds from the
 * utterance's start) into words timed from the chunk's start. Fillers (`<sil>`, `[NOISE]`, `++breath++`) go and
 * `word(2)`, the second pronunciation, is `word`.
 * @throws AppError engine_failed on any line that is not of that format, is of no such utterance, or lies outside it.
 */
export function parseCtm(ctm: string, utterances: readonly DecodedUtterance[]): RecognizedWord[] {
  const known = new Map(utterances.map((utterance) => [utterance.id, utterance]));
  const words: RecognizedWord[] = [];
  for (const line of ctm.split('\n')) {
    if (line === '') continue;
    const [, id = '', start, duration, token = '', confidence] = LINE.exec(line) ?? [];
    const utterance = known.get(id);
    if (utterance === undefined) throw engineFailed('pocketsphinx wrote a line that is not a word with its time.');
    const from = Number(start);
    const to = from + Number(duration);
    if (from < 0 || to < from || to > utterance.end - utterance.start + OVERRUN_SECONDS) {
      throw engineFailed('pocketsphinx wrote a word outside of the audio.');
    }
    const text = wordOf(token);
    if (text === undefined) continue;
    words.push({
      start: toMilliseconds(Math.min(utterance.start + from, utterance.end)),
      end: toMilliseconds(Math.min(utterance.start + to, utterance.end)),
      text,
      confidence: Math.min(1, Math.max(0, Number(confidence))),
    });
  }
  return words.toSorted((a, b) => a.start - b.start);
}

function wordOf(token: string): string | undefined {
  if (/^(<.*>|\[.*\]|\+\+.*\+\+)$/.test(token)) return undefined;
  const text = token.replace(/\(\d+\)$/, '');
  return text.replace(/^i(?=$|')/, 'I');
}

/** True when the decoder's `-hyp` file has one line per utterance, `words (id score)`, which proves that each was decoded. */
export function decodedAll(hypotheses: string, utterances: readonly DecodedUtterance[]): boolean {
  const ids = [...hypotheses.matchAll(/\(([^\s(]+) -?\d+\)$/gm)].map((match) => match[1]);
  return ids.length === utterances.length && utterances.every((utterance, index) => utterance.id === ids[index]);
}
