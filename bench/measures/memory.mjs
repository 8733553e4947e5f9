import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ParlanceProcess } from '@parlance/testing';
import { longRecording } from '../media.mjs';
import { megabytes } from '../table.mjs';

const HOURS = { smoke: 0.05, quick: 0.5, full: 10 };
const LIMIT = 200 * 1024 * 1024;

/** What is asked for besides the transcript. */
const ADD_ONS = { 'speech alone': { diarization: 'false', summary: 'false', highlights: 'false' }, 'with speakers, summary, highlights': {} };

/** Resident memory of the Node process (its engine and ffmpeg children are their own) while a very long recording goes through. */
export async function memory(size) {
  const rows = [];
  for (const [name, options] of Object.entries(ADD_ONS)) rows.push(...(await measured(size, name, options)));
  return rows;
}

async function measured(size, what, options) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn' } });
  try {
    const recording = longRecording(folder, HOURS[size] * 3600);
    const idle = await residentMemory(parlance.pid);
    let peak = idle;
    const watch = setInterval(async () => {
      peak = Math.max(peak, await residentMemory(parlance.pid));
    }, 50);
    const jobId = await parlance.api.upload(recording, options);
    const job = await parlance.api.terminal(jobId, 2 * 3600 * 1000);
    await parlance.api.transcript(jobId, 'json');
    clearInterval(watch);
    if (job.status !== 'completed') throw new Error(`the job ${job.status}: ${job.error?.message}`);
    return [
      {
        name: `memory, ${HOURS[size]} h of audio, ${what}`,
        measured: `${megabytes(peak)} at the peak`,
        baseline: `idle: ${megabytes(idle)}`,
        ratio: `+${megabytes(peak - idle)}`,
        target: '≤ +200 MB',
        met: peak - idle <= LIMIT,
      },
      { name: `memory, idle (before ${what})`, measured: megabytes(idle), baseline: '', ratio: '', target: '≤ 350 MB', met: idle <= 350 * 1024 * 1024 },
    ];
  } finally {
    await parlance.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Bytes, from /proc (Linux). */
async function residentMemory(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
