import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AudioPiece } from '../src/diarization/speaker-diarizer.js';
import { SileroVoiceActivityDetector } from '../src/voice-activity/silero-voice-activity-detector.js';

export interface Turn {
  start: number;
  end: number;
  speakerId: string;
}

const path = (file: string) => fileURLToPath(new URL(`dialogues/${file}`, import.meta.url));

const decoded = new Map<string, Uint8Array>();

/** A dialogue of this folder as s16le, 16 kHz, mono; decoded once. */
export function dialoguePcm(name: string): Uint8Array {
  const pcm = decoded.get(name) ?? execFileSync('ffmpeg', ['-v', 'error', '-i', path(`${name}.ogg`), '-ac', '1', '-ar', '16000', '-f', 's16le', '-'], { maxBuffer: 2 ** 26 });
  decoded.set(name, pcm);
  return pcm;
}

/** Who truly speaks when, from its RTTM. */
export const dialogueReference = (name: string): Turn[] =>
  readFileSync(path(`${name}.rttm`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, , , start, length, , , speakerId = '']) => ({ start: Number(start), end: Number(start) + Number(length), speakerId }));

interface Region {
  start: number;
  end: number;
}

const regions = new WeakMap<Uint8Array, Promise<Region[]>>();

/** Where somebody speaks; detected once for each recording, whose tests ask again and again. */
function speechIn(pcm: Uint8Array): Promise<Region[]> {
  const detected = regions.get(pcm) ?? detectSpeech(pcm);
  regions.set(pcm, detected);
  return detected;
}

async function detectSpeech(pcm: Uint8Array): Promise<Region[]> {
  const speech: Region[] = [];
  for await (const region of new SileroVoiceActivityDetector().detect(one(pcm), new AbortController().signal)) speech.push(region);
  return speech;
}

/** In pieces as the product gives them, of which each begins before the last has ended. */
export async function piecesOf(pcm: Uint8Array, seconds: number): Promise<AudioPiece[]> {
  const speech = await speechIn(pcm);
  const overlap = 1;
  return Array.from({ length: Math.ceil(pcm.byteLength / 32_000 / seconds) }, (_, index) => {
    const [start, end] = [Math.max(0, index * seconds - overlap), (index + 1) * seconds + overlap];
    const inside = speech.filter((region) => region.end > start && region.start < end);
    return { start, pcm: one(pcm.subarray(start * 32_000, end * 32_000)), speech: inside };
  });
}

/**
 * Diarization error rate: seconds missed, heard in silence or given to the wrong speaker, of the seconds spoken. Counted every
 * 10 ms, each speaker found standing for the one true speaker it has most in common with; the bench asks NIST's md-eval.
 */
export function diarizationErrorRate(reference: readonly Turn[], found: readonly Turn[]): number {
  const meaning = meaningOf(reference, found);
  let [spoken, wrong] = [0, 0];
  const end = Math.max(...[...reference, ...found].map((turn) => turn.end));
  for (let time = 0.005; time < end; time += 0.01) {
    const truly = speakersAt(reference, time);
    const said = speakersAt(found, time).map((speakerId) => meaning.get(speakerId));
    const right = said.filter((speakerId) => speakerId !== undefined && truly.includes(speakerId)).length;
    spoken += truly.length;
    wrong += Math.max(truly.length, said.length) - right;
  }
  return wrong / spoken;
}

function meaningOf(reference: readonly Turn[], found: readonly Turn[]): Map<string, string> {
  const common = new Map<string, { from: string; to: string; seconds: number }>();
  for (const one of found) {
    for (const other of reference) {
      const seconds = Math.min(one.end, other.end) - Math.max(one.start, other.start);
      const key = `${one.speakerId} ${other.speakerId}`;
      if (seconds > 0) common.set(key, { from: one.speakerId, to: other.speakerId, seconds: seconds + (common.get(key)?.seconds ?? 0) });
    }
  }
  const meaning = new Map<string, string>();
  for (const { from, to } of [...common.values()].toSorted((one, other) => other.seconds - one.seconds)) {
    if (!meaning.has(from) && ![...meaning.values()].includes(to)) meaning.set(from, to);
  }
  return meaning;
}

const speakersAt = (turns: readonly Turn[], time: number): string[] =>
  turns.filter(({ start, end }) => start <= time && time < end).map(({ speakerId }) => speakerId);

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value;
}
