import { get } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_ADD_ONS, ParlanceProcess } from '@parlance/testing';
import { longRecording } from '../media.mjs';
import { percent } from '../table.mjs';

const HOURS = { smoke: 0.05, quick: 0.5, full: 10 };
const LIMIT_MS = 2 * 3600 * 1000;
const MEETING = new URL('../../samples/meeting.mp3', import.meta.url).pathname;

/** Bytes of bodies as they are sent: a job of some hundred words, and a very long one with the time of each word. */
export async function wire(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINES: 'fixture=fixture:', LOG_LEVEL: 'warn' } });
  try {
    const short = await completed(parlance, MEETING, {});
    const long = await completed(parlance, longRecording(folder, HOURS[size] * 3600), { ...NO_ADD_ONS, model: 'fixture' });
    return [
      await row(parlance, `a job, ${await wordsOf(parlance, short)} words, as text`, short, ''),
      await row(parlance, `a job, ${await wordsOf(parlance, short)} words with their times`, short, '?include=words'),
      await row(parlance, `${HOURS[size]} h, ${await wordsOf(parlance, long)} words with their times`, long, '?include=words'),
    ];
  } finally {
    await parlance.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function completed({ api }, path, options) {
  const jobId = await api.upload(path, options);
  const job = await api.terminal(jobId, LIMIT_MS);
  if (job.status !== 'completed') throw new Error(`the job ${job.status}: ${job.error?.message}`);
  return jobId;
}

async function wordsOf({ api }, jobId) {
  const { transcript } = await api.json(`/transcriptions/${jobId}?include=words`);
  return transcript.segments.reduce((sum, { words }) => sum + words.length, 0);
}

async function row({ api }, name, jobId, query) {
  const url = `${api.url}/api/v1/transcriptions/${jobId}${query}`;
  const [plain, gzip, brotli] = await Promise.all(['identity', 'gzip', 'br'].map((encoding) => bytesOf(url, api.apiKey, encoding)));
  return {
    name: `wire, ${name}`,
    measured: `gzip ${format(gzip)}, brotli ${format(brotli)}`,
    baseline: `not compressed: ${format(plain)}`,
    ratio: `${percent(gzip / plain)}, ${percent(brotli / plain)}`,
    target: '',
  };
}

const format = (bytes) => `${bytes.toLocaleString('en')} B`;

/** The length of the body as it comes over the wire; `fetch` would decompress it. */
function bytesOf(url, apiKey, encoding) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const request = get(url, { headers: { authorization: `Bearer ${apiKey}`, 'accept-encoding': encoding } }, async (response) => {
    let bytes = 0;
    try {
      for await (const chunk of response) bytes += chunk.length;
      if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
      resolve(bytes);
    } catch (error) {
      reject(error);
    }
  });
  request.on('error', reject);
  return promise;
}
