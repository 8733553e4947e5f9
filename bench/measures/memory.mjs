import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendants, ParlanceProcess, residentBytes } from '@parlance/testing';
import { longRecording } from '../media.mjs';
import { megabytes } from '../table.mjs';

const HOURS = { smoke: 0.05, quick: 0.5, full: 10 };
const LIMIT = 200 * 1024 * 1024;

/** The options of a job, by the add-ons that run besides the transcript. */
const ADD_ONS = { 'speech alone': { diarization: 'false', summary: 'false', highlights: 'false' }, 'with speakers, summary, highlights': {} };

/** Resident memory of the Node process while a very long recording goes through; beside it, that of the programs that it starts (voice activity, ffmpeg). */
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
    const idle = await residentBytes(parlance.pid);
    let peak = idle;
    let besidePeak = 0;
    const watch = setInterval(async () => (peak = Math.max(peak, await orNone(residentBytes(parlance.pid)))), 50);
    const watchBeside = setInterval(async () => (besidePeak = Math.max(besidePeak, await besideIt(parlance.pid))), 1000);
    const jobId = await parlance.api.upload(recording, options);
    const job = await parlance.api.terminal(jobId, 2 * 3600 * 1000);
    await parlance.api.transcript(jobId, 'json');
    clearInterval(watch);
    clearInterval(watchBeside);
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
      { name: `memory of the programs beside it, ${what}`, measured: `${megabytes(besidePeak)} at the peak, all together`, baseline: '', ratio: '', target: '' },
      { name: `memory, idle (before ${what})`, measured: megabytes(idle), baseline: '', ratio: '', target: '≤ 350 MB', met: idle <= 350 * 1024 * 1024 },
    ];
  } finally {
    await parlance.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Bytes; pages that several have, such as those of the Node program itself, count for each. */
async function besideIt(pid) {
  const sizes = await Promise.all((await descendants(pid)).map((program) => orNone(residentBytes(program.pid))));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** A process that has ended uses no memory. */
const orNone = async (bytes) => (await bytes.catch(() => 0)) || 0;
