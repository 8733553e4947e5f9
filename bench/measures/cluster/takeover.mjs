import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, SAMPLES } from '@parlance/testing';
import { ParlanceCluster } from '@parlance/testing/cluster';
import { quantile } from '../../table.mjs';

const ROUNDS = { smoke: 1, quick: 2, full: 5 };
/** Milliseconds after which the group gives a silent worker's partitions away: the default of EVENT_BUS_URL. */
const SESSION_TIMEOUT_MS = 10_000;
const TAKEN_OVER_WITHIN_MS = 90_000;

/** From `kill -9` of the worker that has a chunk to the moment when another begins it. */
export async function takeover(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-takeover-'));
  const times = [];
  try {
    for (let round = 0; round < ROUNDS[size]; round += 1) times.push(await once(join(folder, `calls-${round}`)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const sorted = times.toSorted((a, b) => a - b);
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
  const measured = `median ${seconds(quantile(sorted, 0.5))}, most ${seconds(sorted.at(-1))}`;
  return [{ name: 'chunk of a killed worker runs elsewhere', measured, baseline: `session timeout ${seconds(SESSION_TIMEOUT_MS)}`, ratio: '', target: '' }];
}

async function once(callLog) {
  await writeFile(callLog, '');
  const calls = async () => (await readFile(callLog, 'utf8')).split('\n').length - 1;
  const engine = new URLSearchParams({ delayMs: '600000', parallelism: '1', callLog });
  const cluster = await ParlanceCluster.start({ replicas: { transcription: 2 }, env: { SPEECH_ENGINE_URL: `fixture:?${engine}`, CHUNK_TIMEOUT_SECONDS: '900', LOG_LEVEL: 'debug' } });
  try {
    await cluster.api.upload(SAMPLES.reading.path);
    await eventually('the chunk to begin', async () => (await calls()) > 0);
    const worker = await workerOf(cluster);
    const killed = performance.now();
    await worker.end('SIGKILL');
    await eventually('the chunk to begin elsewhere', async () => (await calls()) > 1, TAKEN_OVER_WITHIN_MS);
    return performance.now() - killed;
  } finally {
    await cluster.kill();
    await cluster.dispose();
  }
}

/** Each says in its log what it takes up. */
function workerOf(cluster) {
  return eventually('a worker to say that it has the chunk', async () => {
    for (const process of cluster.of('transcription')) if ((await process.log()).includes('chunk begun')) return process;
    return undefined;
  });
}
