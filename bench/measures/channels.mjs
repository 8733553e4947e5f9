import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { wordErrorRate } from '@parlance/engines';
import { ParlanceProcess } from '@parlance/testing';
import { makeCall, RATE, rttmOf } from '../dialogues/make-dialogue.mjs';
import { writeMedia } from '../media.mjs';
import { percent, times } from '../table.mjs';
import { evaluate, missingPrograms } from './diarization.mjs';
import { bareEngine, collectChunks } from './turnaround.mjs';

/** Calls of two voices, one on each channel; in every fourth turn both speak at once. */
const CALLS = [['slt', 'rms'], ['rms', 'awb'], ['slt', 'kal16'], ['kal16', 'rms'], ['awb', 'kal16'], ['slt', 'awb']];
const SIZES = { smoke: { calls: 1, seconds: 20, hourSeconds: 40 }, quick: { calls: 3, seconds: 60, hourSeconds: 180 }, full: { calls: 6, seconds: 180, hourSeconds: 3600 } };

/** Seconds, as in NIST's evaluations. */
const COLLAR_S = 0.25;

const ALONE = { diarization: 'false', summary: 'false', highlights: 'false' };

/** Calls with one party on each channel: who says what, word errors beside each channel alone, and the time beside the bare engine. */
export async function channels(size) {
  const missing = missingPrograms();
  if (missing) return [{ name: 'channels', measured: `not measured: ${missing}`, baseline: '', ratio: '', target: '' }];
  const folder = mkdtempSync(join(tmpdir(), 'parlance-channels-'));
  try {
    return [...(await errorsOfCalls(folder, SIZES[size])), await timeOfCall(folder, size)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function errorsOfCalls(folder, { calls, seconds }) {
  const total = { split: errors(), alone: errors(), mixed: errors() };
  const parlance = await ParlanceProcess.start({ env: { LOG_LEVEL: 'warn' } });
  try {
    for (const [index, voices] of CALLS.slice(0, calls).entries()) {
      const call = makeCall({ voices, seconds, overlaps: 0.25, seed: 700 + index });
      const file = wavOf(join(folder, 'call.wav'), call.channels);
      const answer = async (path, fields) => {
        const { job_id: jobId } = await parlance.api.terminal(await parlance.api.upload(path, fields), 3_600_000);
        return parlance.api.job(jobId, '?include=words');
      };
      const split = await answer(file, { ...ALONE, channels: 'auto' });
      if (split.channels.used !== 'split') throw new Error('two different channels were mixed');
      const segments = split.transcript.segments;
      addSpeakers(total.split, folder, call, voices, segments);
      for (const [channel, text] of call.texts.entries()) {
        addWords(total.split, text, segments.filter((segment) => segment.channel === channel).map(({ text: said }) => said).join(' '));
        const own = await answer(wavOf(join(folder, 'alone.wav'), [call.channels[channel]]), ALONE);
        addWords(total.alone, text, own.transcript.text);
      }
      const mixed = await answer(file, { ...ALONE, diarization: 'true' });
      addSpeakers(total.mixed, folder, call, voices, mixed.transcript.segments);
      addWords(total.mixed, call.texts.join(' '), mixed.transcript.text);
    }
  } finally {
    await parlance.dispose();
  }
  const rate = ({ wrong, words }) => wrong / words;
  const speakerError = ({ mistaken, scored }) => percent(mistaken / scored);
  return [
    {
      name: `speaker error of ${calls} two-channel calls of ${seconds} s, split`,
      measured: `outside a collar of ${COLLAR_S} s: ${speakerError(total.split.collared)}; without a collar: ${speakerError(total.split.exact)}`,
      baseline: `mixed and diarized: ${speakerError(total.mixed.collared)}; ${speakerError(total.mixed.exact)}`,
      ratio: '',
      target: '0 % outside the collar',
      met: total.split.collared.mistaken === 0,
    },
    {
      name: 'WER of these calls, split',
      measured: percent(rate(total.split)),
      baseline: `each channel alone: ${percent(rate(total.alone))}; mixed, by words in any order of speakers: ${percent(rate(total.mixed))}`,
      ratio: `${((rate(total.split) - rate(total.alone)) * 100).toFixed(2)} points`,
      target: 'as each channel alone',
      met: total.split.wrong === total.alone.wrong,
    },
  ];
}

const errors = () => ({ exact: { mistaken: 0, scored: 0 }, collared: { mistaken: 0, scored: 0 }, wrong: 0, words: 0 });

function addWords(total, reference, text) {
  const { substitutions, deletions, insertions, referenceWords } = wordErrorRate(reference, text);
  total.wrong += substitutions + deletions + insertions;
  total.words += referenceWords;
}

/**
 * Time in which another speaks than the words say, by NIST's md-eval, which finds out which speaker is which voice; also without
 * the quarter of a second around the reference's ends of turns that NIST leaves out, since recognised words are not that exact.
 */
function addSpeakers(total, folder, { reference }, voices, segments) {
  const words = segments.flatMap(({ words: own = [] }) => own).filter((word) => word.speaker_id !== undefined && word.end > word.start);
  const files = [rttmOf('c', reference), rttmOf('c', words.map(({ start, end, speaker_id: speaker }) => ({ start, end, speaker })))].map((rttm, at) => {
    const file = join(folder, `${at}.rttm`);
    writeFileSync(file, rttm);
    return file;
  });
  for (const [sum, collar] of [[total.exact, 0], [total.collared, COLLAR_S]]) {
    const { scored, mistaken } = evaluate(files, collar);
    sum.scored += scored;
    sum.mistaken += mistaken;
  }
}

async function timeOfCall(folder, size) {
  const { hourSeconds: seconds } = SIZES[size];
  const { channels: samples } = makeCall({ voices: CALLS[0], seconds, seed: 800 });
  const file = wavOf(join(folder, 'long.wav'), samples);
  const parlance = await ParlanceProcess.start({ env: { LOG_LEVEL: 'warn' } });
  try {
    const started = performance.now();
    const jobId = await parlance.api.upload(file, { ...ALONE, channels: 'split' });
    const chunks = await collectChunks(parlance, jobId);
    const job = await parlance.api.terminal(jobId, 2 * 3600 * 1000);
    const product = (performance.now() - started) / 1000;
    if (job.status !== 'completed') throw new Error(`the job ${job.status}: ${job.error?.message}`);
    await parlance.stop();
    const bare = await bareEngine(chunks);
    return {
      name: `turnaround of ${seconds} s of two channels, split`,
      measured: `${product.toFixed(1)} s`,
      baseline: `bare engine, ${chunks.length} chunks of both channels on ${cpus().length} cores: ${bare.toFixed(1)} s`,
      ratio: times(product / bare),
      target: '≤ 1.10 ×',
      // As for the turnaround of one channel: judged at full length.
      met: size === 'full' ? product / bare <= 1.1 : undefined,
    };
  } finally {
    await parlance.dispose();
  }
}

/** A WAV file of the channels, 16 kHz. */
function wavOf(path, channels) {
  const pcm = Buffer.alloc(channels[0].length * channels.length * 2);
  for (const [channel, samples] of channels.entries()) for (const [index, sample] of samples.entries()) pcm.writeInt16LE(sample, (index * channels.length + channel) * 2);
  writeMedia(path, pcm, ['-f', 's16le', '-ar', String(RATE), '-ac', String(channels.length)]);
  return path;
}
