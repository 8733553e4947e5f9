// The delay of words after they are said, and their errors.
import { recognizerFromUrl, wordErrorRate } from '@parlance/engines';
import { ParlanceProcess } from '@parlance/testing';
import { pcmOf, referencedRecordings } from '../media.mjs';
import { percent, quantile } from '../table.mjs';
import { BYTES_A_SECOND, timedSession } from './timed-session.mjs';

const RECORDINGS = { smoke: ['reading.flac'], quick: ['reading.flac', 'meeting.mp3'], full: ['reading.flac', 'meeting.mp3', 'report.mp4', 'stories.ogg'] };
const SILENCE_MS = 500;
const PAUSE_SECONDS = 2;
const TARGET = { median: 300, p95: 700, firstPartial: 1000, points: 2 };

export async function latency(size) {
  const parlance = await ParlanceProcess.start({ env: { LOG_LEVEL: 'warn' } });
  const engine = recognizerFromUrl('pocketsphinx:');
  try {
    const played = [];
    for (const recording of referencedRecordings().filter(({ name }) => RECORDINGS[size].includes(name))) played.push(await play(parlance.api, recording));
    const utterances = [];
    for (const each of played) utterances.push(...(await timesOf(each, engine)));
    return [...finalRows(utterances), partialRow(played), wordErrorRow(await Promise.all(played.map(errorsOf)))];
  } finally {
    await engine.close();
    await parlance.dispose();
  }
}

/** A session of the recording at its own speed, then a job of the same recording. */
async function play(api, { path, reference }) {
  // The pause after it ends the last utterance.
  const pcm = Buffer.concat([pcmOf(path), Buffer.alloc(PAUSE_SECONDS * BYTES_A_SECOND)]);
  const session = await timedSession(api, pcm, { isPaced: true, partials: true, endpointing: { silence_ms: SILENCE_MS }, diarization: false, summary: false });
  const live = await api.terminal(session.id, 600_000);
  if (live.status !== 'completed') throw new Error(`the session ${live.status}: ${live.error?.message}`);
  const jobId = await api.upload(path);
  await api.terminal(jobId, 600_000);
  const plain = (id) => api.transcript(id, 'txt', '&speakers=false&timestamps=false');
  return { pcm, reference, ...session, live: await plain(session.id), job: await plain(jobId) };
}

/** For each utterance that a pause ended: from the end of speech to the final without the pause, and the engine's own time for it. */
async function timesOf({ pcm, messages, sentAt }, engine) {
  const finals = messages.filter(({ type, endpoint, text }) => type === 'final' && endpoint === 'silence' && text !== '');
  const ends = messages.filter(({ type }) => type === 'speech_ended');
  const times = [];
  for (const { start, end, receivedAt } of finals) {
    const speechEnd = ends.findLast(({ at }) => at > start && at <= end + SILENCE_MS / 1000)?.at ?? end;
    const started = performance.now();
    await engine.recognize({ pcm: pcm.subarray(Math.floor(start * 16_000) * 2, Math.ceil(end * 16_000) * 2), signal: new AbortController().signal });
    times.push({ delay: receivedAt - sentAt(speechEnd) - SILENCE_MS, alone: performance.now() - started });
  }
  return times;
}

function finalRows(utterances) {
  const sorted = (values) => values.toSorted((one, other) => one - other);
  const delays = sorted(utterances.map(({ delay }) => delay));
  const alone = sorted(utterances.map(({ alone: time }) => time));
  const added = sorted(utterances.map(({ delay, alone: time }) => delay - time));
  return [['median', 0.5, TARGET.median], ['p95', 0.95, TARGET.p95]].map(([name, part, limit]) => ({
    name: `live: end of speech to final, without the pause of ${SILENCE_MS} ms, ${name} of ${utterances.length}`,
    measured: `${quantile(delays, part).toFixed(0)} ms`,
    baseline: `engine alone: ${quantile(alone, part).toFixed(0)} ms`,
    ratio: `${quantile(added, part) >= 0 ? '+' : ''}${quantile(added, part).toFixed(0)} ms`,
    target: `≤ +${limit} ms`,
    met: quantile(added, part) <= limit,
  }));
}

function partialRow(played) {
  const firsts = played.flatMap(({ messages, sentAt }) => messages.filter(({ type, revision }) => type === 'partial' && revision === 1).map(({ start, receivedAt }) => receivedAt - sentAt(start)));
  const sorted = firsts.toSorted((one, other) => one - other);
  const median = quantile(sorted, 0.5);
  return {
    name: 'live: start of speech to first partial, median',
    measured: `${median.toFixed(0)} ms`,
    baseline: `p95: ${quantile(sorted, 0.95).toFixed(0)} ms of ${sorted.length} utterances`,
    ratio: '',
    target: `≤ ${TARGET.firstPartial} ms`,
    met: median <= TARGET.firstPartial,
  };
}

function errorsOf({ reference, live, job }) {
  const errors = (text) => wordErrorRate(reference, text);
  const count = ({ substitutions, deletions, insertions }) => substitutions + deletions + insertions;
  return { words: errors(live).referenceWords, live: count(errors(live)), job: count(errors(job)) };
}

function wordErrorRow(errors) {
  const sum = (field) => errors.reduce((total, each) => total + each[field], 0);
  const points = ((sum('live') - sum('job')) / sum('words')) * 100;
  return {
    name: 'live: WER of sessions',
    measured: percent(sum('live') / sum('words')),
    baseline: `the same recordings as jobs: ${percent(sum('job') / sum('words'))}`,
    ratio: `${points >= 0 ? '+' : ''}${points.toFixed(2)} points`,
    target: `≤ +${TARGET.points} points`,
    met: points <= TARGET.points,
  };
}
