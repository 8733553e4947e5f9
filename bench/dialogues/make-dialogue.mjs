// Dialogues whose speakers are known to the sample: sentences read by the voices of Debian's flite, mixed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { turnSentences, SETS } from './sentences.mjs';
import { randomFrom } from '../random.mjs';

export const RATE = 16_000;

/** One speaker's sentences no further apart are one turn, in the reference as in NIST's evaluations; seconds. */
const TURN_GAP = 0.3;

/**
 * @param voices of flite @param seconds about how long @param overlaps share of turns that begin before the last one has ended
 * @param set of sentences @param seed the same gives the same dialogue
 * @returns samples at 16 kHz and the reference: who speaks when, seconds
 */
export function makeDialogue(options) {
  const { tracks, reference, random } = speak(options);
  const [first, ...others] = tracks;
  for (const track of others) for (const [index, sample] of track.entries()) first[index] += sample;
  return { samples: inQuietRoom(first, random), reference };
}

/** The same with each voice on a channel of its own, and what each says. @returns channels of samples at 16 kHz, the reference, and the text of each channel */
export function makeCall(options) {
  const { tracks, reference, texts, random } = speak(options);
  return { channels: tracks.map((track) => inQuietRoom(track, random)), reference, texts };
}

/** About -66 dB of full scale. */
const inQuietRoom = (samples, random) => Int16Array.from(samples, (sample) => clip(sample + (random() - 0.5) * 56));

function speak({ voices, seconds, overlaps = 0, set = 'heldOut', seed = 1 }) {
  const random = randomFrom(seed);
  const tracks = voices.map(() => new Float64Array(Math.round((seconds + 60) * RATE)));
  const texts = voices.map(() => '');
  const gains = voices.map(() => 10 ** ((random() * 8 - 4) / 20));
  const reference = [];
  let [time, last] = [0.5, -1];
  while (time < seconds) {
    const speaker = nextSpeaker(voices.length, last, random);
    const isOver = last >= 0 && speaker !== last && random() < overlaps;
    time = Math.max(0, time + (isOver ? -(0.3 + random() * 0.9) : 0.1 + random() * 0.8));
    for (const sentence of turnSentences(SETS[set], random)) {
      const spoken = say(voices[speaker], sentence);
      texts[speaker] += `${sentence} `;
      mix(tracks[speaker], spoken, Math.round(time * RATE), gains[speaker]);
      addTurn(reference, { start: time, end: time + spoken.length / RATE, speaker: voices[speaker] });
      time += spoken.length / RATE + 0.15 + random() * 0.4;
    }
    time = reference.reduce((end, turn) => Math.max(end, turn.end), 0);
    last = speaker;
  }
  const length = Math.round((time + 0.5) * RATE);
  return { tracks: tracks.map((track) => track.subarray(0, length)), reference, texts, random };
}

/** NIST's Rich Transcription Time Marked, as md-eval reads it. */
export const rttmOf = (name, turns) =>
  turns.map(({ start, end, speaker }) => `SPEAKER ${name} 1 ${start.toFixed(3)} ${(end - start).toFixed(3)} <NA> <NA> ${speaker} <NA> <NA>\n`).join('');

function nextSpeaker(count, last, random) {
  if (count === 1 || last < 0) return Math.floor(random() * count);
  const next = Math.floor(random() * (count - 1));
  return next < last ? next : next + 1;
}

function mix(samples, spoken, at, gain) {
  for (const [index, sample] of spoken.entries()) samples[at + index] += sample * gain;
}

function addTurn(reference, turn) {
  const last = reference.findLast(({ speaker }) => speaker === turn.speaker);
  if (last && turn.start - last.end <= TURN_GAP) last.end = turn.end;
  else reference.push(turn);
}

const said = new Map();

/** The sentence without the silence around it. @returns samples at 16 kHz */
export function say(voice, sentence) {
  const key = `${voice}|${sentence}`;
  if (!said.has(key)) said.set(key, trimmed(flite(voice, sentence)));
  return said.get(key);
}

/** flite writes to nothing but a file. */
function flite(voice, sentence) {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-flite-'));
  try {
    const file = join(folder, 'said.wav');
    const { status, error } = spawnSync('flite', ['-voice', voice, '-t', sentence, '-o', file]);
    if (status !== 0) throw new Error('flite did not speak; install it: apt-get install flite', { cause: error });
    const wav = readFileSync(file);
    // a header of 44 bytes, then s16le at 16 kHz
    return new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function trimmed(samples) {
  const block = RATE / 100;
  const isLoud = (index) => samples.subarray(index * block, (index + 1) * block).some((sample) => Math.abs(sample) > 300);
  let [first, last] = [0, Math.floor(samples.length / block) - 1];
  while (first < last && !isLoud(first)) first++;
  while (last > first && !isLoud(last)) last--;
  return samples.subarray(first * block, (last + 1) * block);
}

const clip = (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample)));
