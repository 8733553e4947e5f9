import { readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { ParlanceProcess, SAMPLES } from '@parlance/testing';
import { percent, quantile, times } from '../table.mjs';

const JOBS = { smoke: 3, quick: 20, full: 100 };
/** Jobs of each kind before those that are measured. */
const WARM_UP = 3;
const MAX_ADDED_MS = 30;

/** The same job by OpenAI's API, which is one request, and by the native one: created with the file, waited for, read. They take turns, so that both have the same machine. */
export async function openai(size) {
  const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn' } });
  try {
    const { api } = parlance;
    const sound = await readFile(SAMPLES.reading.path);
    const compatible = { ms: [], of: () => transcribed(api, sound) };
    const native = { ms: [], of: () => created(api, sound) };
    const before = await mainThread(parlance);
    for (let round = -WARM_UP; round < JOBS[size]; round++) {
      // Whichever is first has the quieter machine.
      for (const way of round % 2 === 0 ? [compatible, native] : [native, compatible]) {
        const ms = await timed(way.of);
        if (round >= 0) way.ms.push(ms);
      }
    }
    const after = await mainThread(parlance);
    const [ran, waited] = [after.ran - before.ran, after.waited - before.waited];
    return [rowOf(sorted(compatible.ms), sorted(native.ms), ran / (ran + waited))];
  } finally {
    await parlance.dispose();
  }
}

async function timed(work) {
  const began = performance.now();
  if (!(await work())) throw new Error('the transcript is empty');
  return performance.now() - began;
}

/** A file of its own for each job: the same one again would get the job that is there. */
function formOf(sound, fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([sound, randomBytes(16)]), 'reading.flac');
  return form;
}

async function transcribed({ url, apiKey }, sound) {
  const response = await fetch(`${new URL(url).origin}/v1/audio/transcriptions`, { method: 'POST', body: formOf(sound, { model: 'whisper-1' }), headers: { authorization: `Bearer ${apiKey}` } });
  if (response.status !== 200) throw new Error(`the file was answered with ${response.status}`);
  return (await response.json()).text;
}

async function created(api, sound) {
  const response = await api.request('POST', '/transcriptions', { body: formOf(sound, { diarization: 'false', summary: 'false', highlights: 'false' }) });
  if (response.status !== 202) throw new Error(`the file was answered with ${response.status}`);
  const { job_id: jobId } = await response.json();
  return (await api.json(`/transcriptions/${jobId}?wait=60&wait_for=transcript`)).transcript?.text;
}

/** Nanoseconds for which the product's main thread ran, and for which it was ready and waited for a processor (Linux). */
async function mainThread({ pid }) {
  const [ran, waited] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ').map(Number);
  return { ran, waited };
}

const sorted = (all) => all.toSorted((one, other) => one - other);

function rowOf(compatible, native, share) {
  const of = (all) => [quantile(all, 0.5), quantile(all, 0.95)];
  const [[median, p95], [nativeMedian, nativeP95]] = [of(compatible), of(native)];
  const added = median - nativeMedian;
  return {
    name: `OpenAI's API: one short job (${compatible.length} of each kind; load ${loadavg()[0].toFixed(0)}, the main thread had a processor for ${percent(share)} of the time in which it could run)`,
    measured: `median ${median.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms: added ${added.toFixed(0)} and ${(p95 - nativeP95).toFixed(0)} ms`,
    baseline: `created, waited for and read by the native API: median ${nativeMedian.toFixed(0)} ms, p95 ${nativeP95.toFixed(0)} ms`,
    ratio: times(median / nativeMedian),
    target: `< +${MAX_ADDED_MS} ms at the median`,
    met: added < MAX_ADDED_MS,
  };
}
