import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { diarizerFromUrl, SileroVoiceActivityDetector } from '@parlance/engines';
import { makeDialogue, RATE, rttmOf } from '../dialogues/make-dialogue.mjs';
import { percent } from '../table.mjs';

/** The path of NIST's program in Debian's sctk; it is not in the PATH. */
const MD_EVAL = '/usr/lib/sctk/bin/md-eval.pl';
const ALL = ['slt', 'rms', 'awb', 'kal16'];
const PAIRS = [['slt', 'rms'], ['rms', 'awb'], ['slt', 'kal16'], ['kal16', 'rms'], ['awb', 'kal16'], ['slt', 'awb']];

/** Dialogues of the held-out sentences; thresholds were chosen on the other ones. */
const DIALOGUES = {
  clean: [
    ...PAIRS.map((voices) => ({ voices, seconds: 180 })),
    { voices: ['slt', 'rms', 'awb'], seconds: 60 },
    { voices: ['kal16', 'rms', 'awb'], seconds: 300 },
    { voices: ALL, seconds: 180 },
    { voices: ALL, seconds: 600 },
  ],
  alone: ALL.map((voice) => ({ voices: [voice], seconds: 120 })),
  overlapping: [['slt', 'rms'], ['slt', 'rms', 'awb'], ALL].map((voices) => ({ voices, seconds: 180, overlaps: 0.25 })),
};

/** Measures the error rate of the built-in diarizer without the number of speakers, and its time for an hour. */
export async function diarization(size) {
  const missing = missingPrograms();
  if (missing) return [{ name: 'DER of the built-in diarizer', measured: `not measured: ${missing}`, baseline: '', ratio: '', target: '≤ 15 %' }];
  const folder = mkdtempSync(join(tmpdir(), 'parlance-diarization-'));
  const engine = diarizerFromUrl('built-in:');
  try {
    const clean = await errorsOf('clean', folder, engine, size);
    const rows = [{ ...rowOf('DER, 2 to 4 voices, clean', clean), target: '≤ 15 %', met: clean.rate <= 0.15 }];
    if (size === 'smoke') return rows;
    rows.push(rowOf('DER, one voice', await errorsOf('alone', folder, engine, size)));
    rows.push(rowOf('DER, every fourth turn begins over the last', await errorsOf('overlapping', folder, engine, size)));
    return [...rows, ...(await hourOf(engine, size))];
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

async function errorsOf(kind, folder, engine, size) {
  const dialogues = size === 'full' ? DIALOGUES[kind] : DIALOGUES[kind].slice(0, size === 'smoke' ? 1 : 3);
  const total = { scored: 0, wrong: 0, wrongOutsideCollar: 0, scoredOutsideCollar: 0, counted: 0 };
  for (const [index, dialogue] of dialogues.entries()) {
    const seconds = size === 'full' ? dialogue.seconds : Math.min(dialogue.seconds, 60);
    const { samples, reference } = makeDialogue({ ...dialogue, seconds, seed: 500 + index, set: 'heldOut' });
    const { turns, speakerCount } = await engine.diarize(requestOf(samples, await speechIn(samples)));
    const files = [rttmOf('d', reference), rttmOf('d', turns.map((turn) => ({ ...turn, speaker: turn.speakerId })))].map((rttm, at) => {
      const file = join(folder, `${kind}-${index}-${at}.rttm`);
      writeFileSync(file, rttm);
      return file;
    });
    const [exact, collared] = [evaluate(files, 0), evaluate(files, 0.25)];
    total.scored += exact.scored;
    total.wrong += exact.wrong;
    total.scoredOutsideCollar += collared.scored;
    total.wrongOutsideCollar += collared.wrong;
    if (speakerCount === dialogue.voices.length) total.counted++;
  }
  return { ...total, rate: total.wrong / total.scored, outsideCollar: total.wrongOutsideCollar / total.scoredOutsideCollar, dialogues: dialogues.length };
}

const rowOf = (name, { rate, outsideCollar, counted, dialogues }) => ({
  name,
  measured: percent(rate),
  baseline: `collar 0.25 s: ${percent(outsideCollar)}`,
  ratio: `speakers counted right: ${counted} of ${dialogues}`,
  target: '',
});

/** @returns seconds scored, of these wrong: missed, heard in silence, or mistaken for another speaker; and the mistaken ones alone */
export function evaluate([reference, system], collar) {
  const { stdout } = spawnSync(MD_EVAL, ['-c', String(collar), '-r', reference, '-s', system], { encoding: 'utf8' });
  const seconds = (what) => Number(new RegExp(`${what} TIME =\\s*([\\d.]+)`).exec(stdout)?.[1]);
  const mistaken = seconds('SPEAKER ERROR');
  return { scored: seconds('SCORED SPEAKER'), wrong: seconds('MISSED SPEAKER') + seconds('FALARM SPEAKER') + mistaken, mistaken };
}

async function hourOf(engine, size) {
  const hours = size === 'full' ? 1 : 0.1;
  // No dialogue over and over: what is said alike to the sample would be taken for a speaker.
  const { samples: whole } = makeDialogue({ voices: ALL, seconds: hours * 3600, seed: 900 });
  const request = requestOf(whole, await speechIn(whole));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  delay.enable();
  const { speakerCount } = await engine.diarize(request);
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (user + system) / 1e6;
  const factor = seconds / (hours * 3600);
  return [
    {
      name: `diarization of ${hours === 1 ? 'an hour' : `${hours * 60} minutes`}, ${speakerCount} of 4 voices`,
      measured: `${seconds.toFixed(1)} s of one core (RTF ${factor.toFixed(4)})`,
      baseline: `${((performance.now() - began) / 1000).toFixed(1)} s by the clock`,
      ratio: `main loop held ${(delay.max / 1e6).toFixed(0)} ms at most`,
      target: 'RTF ≤ 0.05',
      met: factor <= 0.05,
    },
  ];
}

/** In chunks of 30 s, as the product gives them. */
function requestOf(samples, speech) {
  const seconds = 30;
  const pieces = Array.from({ length: Math.ceil(samples.length / (seconds * RATE)) }, (_, index) => {
    const [start, end] = [index * seconds, (index + 1) * seconds];
    const part = samples.subarray(start * RATE, end * RATE);
    return { start, pcm: one(part), speech: speech.filter((region) => region.end > start && region.start < end) };
  });
  return { audio: each(pieces), signal: new AbortController().signal };
}

async function speechIn(samples) {
  const regions = [];
  for await (const region of new SileroVoiceActivityDetector().detect(one(samples), new AbortController().signal)) regions.push(region);
  return regions;
}

async function* one(samples) {
  yield new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

async function* each(items) {
  yield* items;
}

export function missingPrograms() {
  const missing = [spawnSync('flite', ['--version']).error && 'flite', spawnSync(MD_EVAL, ['-h']).error && 'sctk'].filter(Boolean);
  return missing.length > 0 ? `apt-get install ${missing.join(' ')}` : undefined;
}
