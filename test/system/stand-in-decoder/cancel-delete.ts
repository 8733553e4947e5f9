import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type FakeDecoder, type JobAnswer, MediaFiles, MediaServer, NO_ADD_ONS, type Parlance, SAMPLES, silence, stallsAfter, type TestApi } from '@parlance/testing';
import { nothingLeft } from '../nothing-left.js';
import { product, standInDecoder } from './product.js';

const SERVICES = ['gateway', 'ingest', 'transcription', 'diarization', 'summary', 'search', 'webhook-dispatcher'];

/** Work that hangs at one place until it is stopped. */
interface Underway {
  jobId: string;
  /** How its program is called, when it runs one. */
  program?: string;
  /** Bounds of what was decoded of it, which is what it pays, in seconds. */
  decoded(job: JobAnswer): { least: number; most: number };
}

/** Seconds of a recording that takes a second or more to decode. */
const LONG_SECONDS = 3600;
/** Milliseconds between two looks for a decoder: much shorter than decoding. */
const POLL_MS = 20;
const nothing = () => ({ least: 0, most: 0 });
const upTo = (most: number) => () => ({ least: 0, most });
const allOfIt = ({ media }: JobAnswer) => ({ least: (media as { duration: number }).duration, most: (media as { duration: number }).duration });

let decoder: FakeDecoder;
let parlance: Parlance;
let media: MediaServer;
let files: MediaFiles;
let api: TestApi;

let long: string;

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  decoder = await standInDecoder();
  media = opened.use(await MediaServer.start());
  files = opened.use(await MediaFiles.create());
  long = await files.make('long.flac', ...silence(LONG_SECONDS));
  parlance = await product();
  api = parlance.api;
});
afterEach(async () => {
  // A test that failed may leave a suspended one, which would never end.
  for (const { name, pid } of await parlance.programs()) if (name === 'ffmpeg') send(pid, 'SIGKILL');
  await decoder.mend();
});
afterAll(() => opened.disposeAsync());

const running = (name: string) => eventually(`${name} to run`, async () => (await parlance.programs()).some((program) => program.name === name));

/** Uploads the recording and suspends its decoder once that runs, so that the job stays at that place until SIGKILL ends the decoder. */
async function uploadUntilDecoding(path: string): Promise<string> {
  const upload = new AbortController();
  const uploaded = api.upload(path).catch((error: unknown) => {
    upload.abort();
    throw error;
  });
  const isSuspended = async () => (await parlance.programs()).some(({ name, pid }) => name === 'ffmpeg' && send(pid, 'SIGSTOP'));
  const [jobId] = await Promise.all([uploaded, eventually('ffmpeg to run', async () => upload.signal.aborted || isSuspended(), undefined, POLL_MS)]);
  return jobId;
}

/** @returns false when the process has ended */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

const PLACES: Record<string, () => Promise<Underway>> = {
  'is being fetched': async () => {
    const before = media.ranges('/talk').length;
    const url = media.at('/talk', stallsAfter(await readFile(SAMPLES.reading.path), 10_000));
    const jobId = await api.submit({ audio_url: url });
    await eventually('the fetch to begin', () => media.ranges('/talk').length > before);
    return { jobId, decoded: nothing };
  },
  'is being decoded': async () => {
    const jobId = await uploadUntilDecoding(long);
    return { jobId, program: 'ffmpeg', decoded: upTo(LONG_SECONDS) };
  },
  'is being transcribed': async () => {
    await decoder.fail('hang');
    const jobId = await api.upload(SAMPLES.meeting.path);
    await running('sleep');
    return { jobId, program: 'sleep', decoded: allOfIt };
  },
};

describe.each(Object.entries(PLACES))('a job that %s', (_name, begin) => {
  it('can be canceled: its work stops, its state stays, also when it is canceled again', async () => {
    const { jobId, decoded } = await begin();
    expect((await api.cancel(jobId)).status).toBe(202);
    const canceled = await api.job(jobId);
    expect(canceled.status).toBe('canceled');
    const { billed_seconds: billed } = canceled.usage as { billed_seconds: number };
    expect(billed).toBeGreaterThanOrEqual(decoded(canceled).least);
    expect(billed).toBeLessThanOrEqual(decoded(canceled).most);
    expect(canceled.transcript).toBeUndefined();
    await nothingLeft(parlance);
    const again = await api.cancel(jobId);
    expect([again.status, await again.json()]).toEqual([202, expect.objectContaining({ job_id: jobId, status: 'canceled' })]);
    const retried = await api.retry(jobId);
    expect([retried.status, await retried.json()]).toEqual([409, expect.objectContaining({ code: 'invalid_state', reason: 'nothing_to_retry' })]);
    await decoder.mend();
    const next = await api.terminal(await api.upload(SAMPLES.reading.path, NO_ADD_ONS));
    expect(next.status).toBe('completed');
    expect(await api.job(jobId)).toEqual(canceled);
    await eventually('the decoded audio to go', async () => !(await parlance.media(jobId)).some((object) => object.startsWith('audio/')));
  });

  it('can be deleted: it is gone at once, and so is its work', async () => {
    const { jobId } = await begin();
    const erasureId = await api.delete(jobId);
    expect((await api.request('GET', `/transcriptions/${jobId}`)).status).toBe(404);
    await nothingLeft(parlance);
    await eventually('every service to report', async () => (await api.erasure(erasureId)).status === 'completed');
    expect(await parlance.media(jobId)).toEqual([]);
    await decoder.mend();
    expect((await api.terminal(await api.upload(SAMPLES.reading.path, NO_ADD_ONS))).status).toBe('completed');
    expect(await parlance.media(jobId)).toEqual([]);
    expect((await api.request('GET', `/transcriptions/${jobId}`)).status).toBe(404);
  });
});

/** Last: it restarts the product. */
describe('a completed job that is deleted', () => {
  it('leaves nothing of its media, and a receipt of every service, over a restart too', async () => {
    const ours = await parlance.newAccount();
    const jobId = await ours.upload(SAMPLES.meeting.path, { metadata: JSON.stringify({ note: 'Zenobia' }) }, { 'idempotency-key': 'meeting' });
    const kept = await ours.upload(await files.make('quiet.wav', ...silence(3)));
    await Promise.all([ours.terminal(jobId), ours.terminal(kept)]);
    expect((await ours.job(jobId)).transcript?.text).toMatch(/spoken/i);
    expect(await parlance.media(jobId)).toContain('source');

    const erasureId = await ours.delete(jobId);
    for (const path of ['', '/transcript', '/events', '/deliveries']) {
      expect((await ours.request('GET', `/transcriptions/${jobId}${path}`)).status).toBe(404);
    }
    expect(await ours.delete(jobId)).toBe(erasureId);
    expect((await api.request('DELETE', `/transcriptions/${jobId}`)).status).toBe(404);
    const receipt = await eventually('every service to report', async () => {
      const erasure = await ours.erasure(erasureId);
      return erasure.status === 'completed' && erasure;
    });
    expect([...new Set(receipt.items.map(({ where }) => where))].toSorted()).toEqual(SERVICES.toSorted());
    for (const service of ['ingest', 'transcription']) expect(receipt.items.find(({ where }) => where === service)?.count).toBeGreaterThan(0);
    expect(await parlance.media(jobId)).toEqual([]);

    await parlance.restart();
    const later = parlance.api.as(ours.apiKey);
    expect((await later.request('GET', `/transcriptions/${jobId}`)).status).toBe(404);
    expect((await later.job(kept)).status).toBe('completed');
  });
});
