import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { content, MediaServer, ParlanceProcess } from '@parlance/testing';
import { ParlanceCluster } from '@parlance/testing/cluster';
import { longRecording } from '../media.mjs';

/** `jobs` of `hours` each that one account has queued; `tries` of another's minute, beside them and alone. */
const SIZES = {
  smoke: { jobs: 3, hours: 0.1, tries: 1 },
  quick: { jobs: 50, hours: 1, tries: 3 },
  full: { jobs: 50, hours: 10, tries: 5 },
};
/** Engines that take a fixed time for each chunk and recording, whatever the audio. */
const ENGINES = { SPEECH_ENGINE_URL: 'fixture:?delayMs=1000&parallelism=2', DIARIZATION_ENGINE_URL: 'fixture:?delayMs=1000', LOG_LEVEL: 'warn' };
const LIMIT = 3;

/** The time of one account's one-minute job while another has hundreds of hours queued, against its time alone in the same run. */
export const fairShare = (size) => measured(size, 'embedded', () => ParlanceProcess.start({ env: ENGINES }));

export const clusterFairShare = (size) => measured(size, 'Kafka and MongoDB', () => ParlanceCluster.start({ env: ENGINES }));

async function measured(size, shape, start) {
  const { jobs, hours, tries } = SIZES[size];
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  const media = await MediaServer.start();
  const parlance = await start();
  try {
    const long = media.at('/long.mp3', content(await readFile(longRecording(folder, hours * 3600))));
    const short = media.at('/short.mp3', content(await readFile(longRecording(folder, 60))));
    const [heavy, light] = [await parlance.newAccount(), await parlance.newAccount()];
    await timeOf(light, short);
    const alone = await timesOf(light, short, tries);
    const queued = await Promise.all(Array.from({ length: jobs }, () => heavy.submit({ audio_url: long })));
    await inTranscription(heavy, queued[0]);
    const beside = await timesOf(light, short, tries);
    const ended = (await Promise.all(queued.map((jobId) => heavy.job(jobId, '?include=none')))).filter(({ status }) => status === 'completed').length;
    const ratio = Math.max(...beside) / median(alone);
    return [
      {
        name: `fair share, ${shape}`,
        measured: `one minute: ${Math.max(...beside).toFixed(1)} s at most beside ${(jobs * hours).toFixed(1)} h of another account (${ended} of ${jobs} jobs ended)`,
        baseline: `alone: ${median(alone).toFixed(1)} s`,
        ratio: `${ratio.toFixed(2)} ×`,
        target: `≤ ${LIMIT} ×`,
        met: ratio <= LIMIT,
      },
    ];
  } finally {
    await parlance.kill();
    await parlance.dispose();
    await media.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function timesOf(api, url, tries) {
  const times = [];
  for (let nth = 0; nth < tries; nth += 1) times.push(await timeOf(api, url));
  return times;
}

/** Seconds from the request to the end of all requested stages. */
async function timeOf(api, url) {
  const begin = performance.now();
  const job = await api.terminal(await api.submit({ audio_url: url }), 30 * 60_000);
  if (job.status !== 'completed') throw new Error(`the job ${job.status}: ${job.error?.message}`);
  return (performance.now() - begin) / 1000;
}

async function inTranscription(api, jobId) {
  for (;;) {
    const { progress, status } = await api.job(jobId, '?include=none&wait=5');
    if (progress.stage === 'transcription' || status === 'completed') return;
    if (status === 'failed') throw new Error('the long job failed');
  }
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
