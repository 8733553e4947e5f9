import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect as connectTo, type AddressInfo, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, SAMPLES, WebhookReceiver, type TestApi } from '@parlance/testing';
import { ApiError, JobFailedError, Parlance, type LiveFinal, type UploadProgress } from '../../../sdks/javascript/src/index.js';
import { sealMedia } from '../../../sdks/javascript/src/sealed-media.js';
import { fromPath } from '../../../sdks/javascript/src/node.js';
import { product } from '../../system/fixture-engine/product.js';

const PCM = ['-nostdin', '-loglevel', 'error', '-i', SAMPLES.meeting.path, '-f', 's16le', '-ar', '16000', '-ac', '1', '-'];
const RAW = { audio: { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 } } as const;

let api: TestApi;
let client: Parlance;

beforeAll(async () => {
  api = await (await product()).newAccount();
  client = new Parlance({ baseUrl: api.url, apiKey: api.apiKey });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

async function recording(): Promise<Uint8Array> {
  const { stdout } = spawn('ffmpeg', PCM, { stdio: ['ignore', 'pipe', 'inherit'] });
  return Buffer.concat(await all(stdout as AsyncIterable<Buffer>));
}

/** A proxy whose connections can be cut, as a network does. */
async function cuttingProxy(target: string): Promise<{ url: string; cut(): void; connections: number } & Disposable> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const proxy = { url: '', connections: 0, cut: () => open.forEach((socket) => socket.destroy()), [Symbol.dispose]: () => void server.close(proxy.cut) };
  const server = createServer((near) => {
    proxy.connections += 1;
    const far = connectTo(Number(port), hostname);
    for (const [from, to] of [[near, far], [far, near]] as const) {
      open.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy() && open.delete(from)).pipe(to);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

describe('the JavaScript SDK', () => {
  it('uploads a file of the disk with progress, waits for its transcript, and reads it in every way', async () => {
    const progress: UploadProgress[] = [];
    const { size } = await fromPath(SAMPLES.meeting.path).then(async (file) => (await file.close?.(), file));
    const job = await client.transcriptions.transcribe({ file: await fromPath(SAMPLES.meeting.path), language: 'en', metadata: { project: 'sdk' } }, { onUploadProgress: (news) => progress.push(news) });
    expect(progress.at(-1)).toEqual({ sentBytes: size, totalBytes: size });
    expect(job).toMatchObject({ status: 'completed', file_name: 'meeting.mp3', transcript: { text: expect.stringMatching(/\w/) } });
    expect((await all(client.transcriptions.list({ metadata: ['project:sdk'], limit: 1 }))).map(({ job_id: id }) => id)).toEqual([job.job_id]);
    expect(await client.transcriptions.export(job.job_id, 'srt', { max_line_chars: 32 })).toMatch(/^1\r?\n00:00:\d\d,\d{3} --> /);
    expect(new TextDecoder().decode(((await client.transcriptions.export(job.job_id, 'pdf')) as Uint8Array).subarray(0, 5))).toBe('%PDF-');
    const [speaker] = await all(client.speakers.list(job.job_id));
    await client.speakers.rename(job.job_id, speaker?.speaker_id ?? '', 'Ada');
    expect((await client.transcriptions.get(job.job_id)).transcript?.speakers[0]).toMatchObject({ name: 'Ada' });
    const { summary_id: summary } = await client.summaries.create(job.job_id, { format: 'bullets' });
    await eventually('the summary', async () => (await client.summaries.get(job.job_id, summary, { wait: 25 })).status === 'completed');
    expect(await client.usage()).toMatchObject({ total_seconds: expect.any(Number) });
  });

  it('sends a large file in pieces, and a job of it says what is wrong with it', async () => {
    const size = 20_000_000;
    const progress: number[] = [];
    const upload = await client.uploads.create(new Blob([new Uint8Array(size)]), { fileName: 'nothing.mp3', onProgress: ({ sentBytes }) => progress.push(sentBytes) });
    expect(upload).toMatchObject({ status: 'completed', size_bytes: size, file_name: 'nothing.mp3' });
    expect(progress).toEqual([8_388_608, 16_777_216, size]);
    const failure = await client.transcriptions.transcribe({ upload_id: upload.upload_id }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(JobFailedError);
    expect(failure).toMatchObject({ retryable: false, job: { status: 'failed' } });
  });

  it('encrypts a large file while it is sent in pieces, and the server decrypts it', async () => {
    const wav = spawn('ffmpeg', ['-nostdin', '-loglevel', 'error', '-stream_loop', '9', '-i', SAMPLES.reading.path, '-ac', '1', '-ar', '48000', '-f', 'wav', '-'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const clear = new Blob(await all(wav.stdout as AsyncIterable<Uint8Array<ArrayBuffer>>));
    const { data } = await client.request<{ data: { recipient: string }[] }>({ method: 'GET', path: '/media-keys' });
    const progress: number[] = [];
    const job = await client.transcriptions.transcribe({ file: await sealMedia(clear, data[0]?.recipient ?? '') }, { onUploadProgress: ({ sentBytes }) => progress.push(sentBytes) });
    expect(job).toMatchObject({ status: 'completed', media: { sealed: true, format: 'wav', duration: expect.closeTo(93.4, 0) } });
    expect([progress.length, progress.at(-1)]).toEqual([2, (job as { media?: { size_bytes: number } }).media?.size_bytes]);
  });

  it('gets one upload and one job for two calls with one Idempotency-Key', async () => {
    const create = async () => client.transcriptions.create({ file: await fromPath(SAMPLES.reading.path) }, { idempotencyKey: 'sdk-twice' });
    expect((await create()).job_id).toBe((await create()).job_id);
  });

  it('continues a large upload of an earlier call with the same Idempotency-Key', async () => {
    const file = new Blob([new Uint8Array(12_000_000)]);
    const abort = new AbortController();
    await expect(client.uploads.create(file, { idempotencyKey: 'sdk-resumed', signal: abort.signal, onProgress: () => abort.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect(await client.uploads.create(file, { idempotencyKey: 'sdk-resumed' })).toMatchObject({ status: 'completed', size_bytes: 12_000_000 });
  });

  it('sends a stream of unknown size', async () => {
    const pieces = async function* () {
      for (let index = 0; index < 20; index++) yield new Uint8Array(1_000_000);
    };
    expect(await client.uploads.create(pieces())).toMatchObject({ status: 'completed', size_bytes: 20_000_000 });
  });

  it('searches, asks and streams an answer', async () => {
    const job = await client.transcriptions.transcribe({ file: await fromPath(SAMPLES.report.path) });
    const q = job.transcript?.text.split(/\s+/).slice(0, 3).join(' ') ?? '';
    await eventually('the passage to be found', async () => (await all(client.search({ q, job_id: job.job_id }))).length > 0);
    const answer = await client.chat.ask({ message: `Who said ${q}?`, job_id: job.job_id });
    const events = await all(client.chat.stream({ message: `Who said ${q}?`, job_id: job.job_id }));
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['delta', 'citations', 'done']));
    expect(events.at(-1)).toMatchObject({ event: 'done', answer: answer.answer });
  });

  it('follows a job by its events, also from the middle', async () => {
    const { job_id: id } = await client.transcriptions.create({ file: await fromPath(SAMPLES.reading.path), language: 'en' });
    const events = await all(client.transcriptions.events(id));
    expect(events.at(-1)).toMatchObject({ event: 'done', status: 'completed' });
    const last = events.at(-2)?.id;
    expect(await all(client.transcriptions.events(id, { lastEventId: last }))).toEqual(events.slice(-1));
    await eventually('the events of the account to have the last of the job', async () => (await all(client.events({ job_id: id }))).some(({ type }) => type === 'transcription.completed'));
  });

  it('verifies the webhooks that are delivered', async () => {
    await using receiver = await WebhookReceiver.start();
    const job = await client.transcriptions.transcribe({ file: await fromPath(SAMPLES.reading.path), callback_url: receiver.url });
    const { raw, headers } = await eventually('the webhook', () => receiver.of(job.job_id).find(({ body }) => body.type === 'transcription.completed'));
    const secret = await client.webhooks.secret();
    expect(await client.webhooks.verify(raw, headers, secret)).toMatchObject({ type: 'transcription.completed', data: { job_id: job.job_id } });
    expect(await client.webhooks.verify(raw, headers, secret.secret)).toMatchObject({ type: 'transcription.completed' });
    await expect(client.webhooks.verify(raw.replace('completed', 'started'), headers, secret)).rejects.toMatchObject({ name: 'WebhookVerificationError' });
  });

  it('continues a live session whose connection is cut, without a lost or repeated word', async () => {
    using proxy = await cuttingProxy(api.url);
    const through = new Parlance({ baseUrl: proxy.url, apiKey: api.apiKey });
    const finals: LiveFinal[] = [];
    let lost = 0;
    const session = await through.live.connect(RAW, { onFinal: (final) => finals.push(final), onReconnect: () => (lost += 1) });
    const audio = await recording();
    await session.send(audio.subarray(0, audio.length / 2));
    await eventually('the first final', () => finals.length > 0);
    proxy.cut();
    await session.send(audio.subarray(audio.length / 2));
    const { transcription_id: id } = await session.finish();
    expect(lost).toBeGreaterThan(0);
    expect(finals.map(({ seq }) => seq)).toEqual([...new Set(finals.map(({ seq }) => seq))]);
    const words = (text: string | undefined) => text?.toLowerCase().match(/[\w']+/g);
    expect(words((await client.transcriptions.wait(id)).transcript?.text)).toEqual(words(finals.map(({ text }) => text).join(' ')));
    expect((await all(client.live.events(id))).at(-1)).toMatchObject({ event: 'finished' });
  });

  it('says that the key is wrong, and that a job is not there', async () => {
    const refusal = new Parlance({ baseUrl: api.url, apiKey: 'pl_wrong' }).usage();
    await expect(refusal).rejects.toBeInstanceOf(ApiError);
    await expect(refusal).rejects.toMatchObject({ status: 401, code: 'unauthenticated', requestId: expect.stringMatching(/./), attempts: 1 });
    await expect(client.transcriptions.get('job_none')).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });
});
