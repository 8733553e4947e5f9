import { ParlanceCluster } from '@parlance/testing/cluster';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longRecording } from '../../media.mjs';
import { percent } from '../../table.mjs';

const PROCESSES = [1, 2, 4];
/** Chunks of a process at once, and what each takes: waiting, as an engine on another machine is for this one. */
const PARALLELISM = 2;
const CHUNK_MS = 2000;
const CHUNK_SECONDS = 10;
/** Chunks for each place of the largest run. */
const CHUNKS_A_PLACE = { smoke: 2, quick: 6, full: 12 };

/** Chunks a second with 1, 2 and 4 transcription processes, against so many times what one alone does. */
export async function scaling(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-scaling-'));
  try {
    const seconds = Math.max(...PROCESSES) * PARALLELISM * CHUNKS_A_PLACE[size] * CHUNK_SECONDS;
    const recording = longRecording(folder, seconds);
    const rates = [];
    for (const processes of PROCESSES) rates.push(await chunksPerSecond(processes, recording));
    return PROCESSES.slice(1).map((processes, index) => {
      const ratio = rates[index + 1] / (rates[0] * processes);
      return {
        name: `${processes} transcription processes`,
        measured: `${rates[index + 1].toFixed(2)} chunks/s`,
        baseline: `one: ${rates[0].toFixed(2)} chunks/s`,
        ratio: `${percent(ratio)} of linear`,
        target: '≥ 90 %',
        met: ratio >= 0.9,
      };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function chunksPerSecond(processes, recording) {
  const cluster = await ParlanceCluster.start({
    replicas: { transcription: processes },
    env: {
      SPEECH_ENGINE_URL: `fixture:?delayMs=${CHUNK_MS}&parallelism=${PARALLELISM}`,
      CHUNK_IDEAL_SECONDS: String(CHUNK_SECONDS),
      CHUNK_MAX_SECONDS: String(CHUNK_SECONDS * 2),
      CHUNK_WINDOW_PER_ACCOUNT: '64',
    },
  });
  try {
    const jobId = await cluster.api.upload(recording);
    const job = await cluster.api.terminal(jobId, 600_000);
    if (job.status !== 'completed') throw new Error(`the job has ${job.status}: ${JSON.stringify(job.error)}`);
    const { started_at: startedAt, completed_at: completedAt } = job.stages.transcription;
    const chunks = (await cluster.log()).split('"chunk transcribed"').length - 1;
    return (chunks * 1000) / (Date.parse(completedAt) - Date.parse(startedAt));
  } finally {
    await cluster.dispose();
  }
}
