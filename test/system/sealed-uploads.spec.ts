import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { content, eventually, filesBelow, MediaFiles, MediaServer, runAdmin, SAMPLES, SHAPE, startParlance, type Parlance } from '@parlance/testing';
import { armor, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { nothingLeft } from './nothing-left.js';
import { storedBytes } from './stored-bytes.js';

const TUS = { 'tus-resumable': '1.0.0' };
/** In the tags of the recording, which are in clear in the file. */
const CANARY = 'zqsealedcanary';
const NEEDLE_BYTES = 24;

interface OfferedKey {
  id: string;
  recipient: string;
  created_at: string;
  accepted_until?: string;
}

async function sealed(clear: Uint8Array, ...recipients: string[]): Promise<Buffer> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return Buffer.from(await encrypter.encrypt(clear));
}

describe('a recording that its client encrypted to a media key', () => {
  let parlance: Parlance;
  let files: MediaFiles;
  let server: MediaServer;
  let folder: string;
  let clear: Buffer;
  let needles: Buffer[];
  beforeAll(async () => {
    [files, server, folder] = await Promise.all([MediaFiles.create(), MediaServer.start(), mkdtemp(join(tmpdir(), 'parlance-sealed-uploads-'))]);
    clear = await readFile(await files.make('talk.flac', '-i', SAMPLES.reading.path, '-metadata', `title=${CANARY}`));
    const samples = await readFile(await files.make('talk.s16le', '-i', SAMPLES.reading.path, '-f', 's16le', '-ac', '1', '-ar', '16000'));
    const parts = (bytes: Buffer) => [0.3, 0.5, 0.7].map((part) => bytes.subarray(Math.floor((bytes.length * part) / 2) * 2).subarray(0, NEEDLE_BYTES));
    needles = [Buffer.from(CANARY), ...parts(clear), ...parts(samples)];
    await writeFile(join(folder, 'keys'), `1 ${Buffer.alloc(32, 3).toString('base64')}\n`, { mode: 0o600 });
    // Media that is not encrypted by its client is in clear, so that nothing else hides the recording from the search.
    parlance = await startParlance({ env: { SPEECH_ENGINE_URL: 'fixture:', KEY_PROVIDER: `local:${join(folder, 'keys')}`, MEDIA_ENCRYPTION: 'off', LOG_LEVEL: 'debug' } });
  });
  afterAll(async () => {
    try {
      await parlance.dispose();
    } finally {
      // Also when it could not be started: a server that is left keeps Jest from ending.
      await Promise.all([files[Symbol.asyncDispose](), server[Symbol.asyncDispose](), rm(folder, { recursive: true })]);
    }
  });

  const offered = async () => (await parlance.api.json<{ data: OfferedKey[] }>('/media-keys')).data;
  const recipient = async () => (await offered())[0]?.recipient ?? '';
  const upload = async (bytes: Uint8Array, fields: Record<string, string> = {}) => parlance.api.upload(await files.write('talk.age', bytes), fields);
  const admin = async (...args: string[]) => JSON.parse(await runAdmin(parlance.settings, 'encryption', ...args, '--json')) as Record<string, unknown>;
  const codeOf = async (path: string) => {
    const response = await parlance.api.request('GET', path);
    return [response.status, ((await response.json()) as { code: string }).code];
  };

  /** Names of what holds a piece of the recording in clear: files and objects, databases, logs. */
  const clearIn = async () => {
    const found: string[] = [];
    for await (const { name, bytes } of storedBytes(parlance)) if (needles.some((needle) => bytes.includes(needle))) found.push(name);
    return found;
  };

  it('is transcribed, and is in clear in no store, database, bus or log while it is worked on and after', async () => {
    const age = await sealed(clear, await recipient());
    const jobId = await upload(age, { title: 'sealed' });
    const found: string[] = [];
    await eventually('the job to end', async () => {
      found.push(...(await clearIn()));
      return !['queued', 'processing'].includes((await parlance.api.job(jobId)).status);
    });
    const job = await parlance.api.terminal(jobId);
    expect(job).toMatchObject({ status: 'completed', warnings: [], media: { format: 'flac', sealed: true, size_bytes: age.length }, stages: { diarization: { status: 'completed' } } });
    expect(job.transcript?.segments.length).toBeGreaterThan(0);
    expect([...found, ...(await clearIn())]).toEqual([]);
    await nothingLeft(parlance);

    const media = await parlance.api.request('GET', `/transcriptions/${jobId}/media`);
    expect([media.status, media.headers.get('content-type'), Buffer.from(await media.arrayBuffer()).equals(age)]).toEqual([200, 'application/octet-stream', true]);
    const part = await parlance.api.request('GET', `/transcriptions/${jobId}/media`, { headers: { range: 'bytes=100-199' } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(age.subarray(100, 200))]).toEqual([206, true]);
    expect(await codeOf(`/transcriptions/${jobId}/media/clip?start=1&end=2`)).toEqual([409, 'media_sealed']);
    expect(await codeOf(`/transcriptions/${jobId}/waveform`)).toEqual([409, 'media_sealed']);
  });

  it('is found in clear by the same search where the client did not encrypt it', async () => {
    const jobId = await upload(clear);
    await parlance.api.terminal(jobId);
    expect(await clearIn()).not.toEqual([]);
    const erasure = await parlance.api.delete(jobId);
    await eventually('every service to report', async () => (await parlance.api.erasure(erasure)).status === 'completed');
  });

  it('may be fetched from an address, arrive in pieces over a rotation of the keys, and have a sealed result', async () => {
    const [before] = await offered();
    const age = await sealed(clear, before?.recipient ?? '');
    const half = Math.floor(age.length / 2);
    const begun = await parlance.api.request('POST', '/uploads', { headers: { ...TUS, 'upload-length': String(age.length) } });
    const path = String(begun.headers.get('location')).replace(/.*\/api\/v1/, '');
    const append = (offset: number, bytes: Buffer) =>
      parlance.api.request('PATCH', path, { headers: { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) }, body: new Uint8Array(bytes) });
    expect((await append(0, age.subarray(0, half))).status).toBe(204);
    const { id } = await admin('rotate-media-key');
    expect(id).not.toBe(before?.id);
    expect((await append(half, age.subarray(half))).status).toBe(204);
    const uploaded = await parlance.api.submit({ upload_id: path.replace('/uploads/', '') });
    const fetched = await parlance.api.submit({ audio_url: server.at('/talk.age', content(age)), diarization: false });
    for (const jobId of [uploaded, fetched]) expect(await parlance.api.terminal(jobId)).toMatchObject({ status: 'completed', media: { sealed: true } });
    await eventually('the gateway to know the new key', async () => (await recipient()) !== before?.recipient, 180_000);
    expect((await offered()).map((key) => key.recipient)).toContain(before?.recipient);
    const own = await upload(await sealed(clear, await recipient(), await identityToRecipient(await generateX25519Identity())), { result_key: JSON.stringify({ kty: 'OKP', crv: 'X25519', x: 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo' }) });
    expect(await parlance.api.terminal(own)).toMatchObject({ status: 'completed' });
    expect(await clearIn()).toEqual([]);
  });

  it('fails by a named code when it is damaged, for another key or armored, and leaves nothing', async () => {
    const age = await sealed(clear, await recipient());
    const changed = Buffer.from(age);
    changed[age.length - 40] = (changed[age.length - 40] as number) ^ 1;
    const foreign = await sealed(clear, await identityToRecipient(await generateX25519Identity()));
    const codes: unknown[] = [];
    for (const bytes of [changed, age.subarray(0, -10), age.subarray(0, 90), foreign]) codes.push((await parlance.api.terminal(await upload(bytes))).error?.code);
    expect(codes).toEqual(['media_sealed_corrupt', 'media_sealed_corrupt', 'media_sealed_corrupt', 'media_sealed_key_unknown']);
    const armored = await upload(Buffer.from(armor.encode(age)));
    expect((await parlance.api.terminal(armored)).error).toMatchObject({ code: 'media_unsupported', message: expect.stringContaining('--armor') });
    await nothingLeft(parlance);
    expect(await clearIn()).toEqual([]);
  });

  it('cannot be opened any more once its key is destroyed', async () => {
    const age = await sealed(clear, await recipient());
    const { destroyed } = await admin('rotate-media-key', '--destroy-previous');
    expect(destroyed).not.toEqual([]);
    expect((await parlance.api.terminal(await upload(age))).error?.code).toBe('media_sealed_key_unknown');
  });

  it('has no redacted recording, and a failed redaction shows nothing of it', async () => {
    const [key] = JSON.parse(await runAdmin(parlance.settings, 'encryption', 'media-keys', '--json')) as OfferedKey[];
    const jobId = await upload(await sealed(clear, key?.recipient ?? ''), { redaction: JSON.stringify({ policies: ['person'], audio: 'beep' }) });
    await eventually('the redaction to end', async () => ['failed', 'completed'].includes((await parlance.api.job(jobId)).stages['audio_redaction']?.status ?? ''));
    expect(await parlance.api.job(jobId)).toMatchObject({ stages: { audio_redaction: { status: 'failed', error: { code: 'media_sealed' } } } });
    expect(await clearIn()).toEqual([]);
  });

  if (SHAPE === 'embedded') {
    it('leaves no clear file after a kill and a start', async () => {
      const long = await readFile(await files.make('long.flac', '-stream_loop', '200', '-i', SAMPLES.reading.path, '-metadata', `title=${CANARY}`));
      const [key] = JSON.parse(await runAdmin(parlance.settings, 'encryption', 'media-keys', '--json')) as OfferedKey[];
      const jobId = await upload(await sealed(long, key?.recipient ?? ''), { diarization: 'false' });
      const inScratch = async () => (await parlance.scratch()).filter((path) => path.includes('source-0'));
      await eventually('the recording to be decrypted', async () => (await inScratch()).length > 0);
      const before = await inScratch();
      await parlance.kill();
      await parlance.restart();
      expect((await inScratch()).filter((path) => before.includes(path))).toEqual([]);
      expect(await parlance.api.terminal(jobId)).toMatchObject({ status: 'completed', media: { sealed: true } });
      await nothingLeft(parlance);
      const left: string[] = [];
      for (const path of await filesBelow(parlance.settings['PARLANCE_DATA'] ?? '')) if ((await readFile(path).catch(() => Buffer.alloc(0))).includes(CANARY)) left.push(path);
      expect(left).toEqual([]);
    });

    it('is refused by name on a server without a key provider, which offers no keys', async () => {
      const age = await sealed(clear, await identityToRecipient(await generateX25519Identity()));
      await using without = await startParlance({ env: { SPEECH_ENGINE_URL: 'fixture:', KEY_PROVIDER: 'none' } });
      const answer = await fetch(`${without.api.url}/api/v1/media-keys`);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([422, 'not_supported']);
      expect((await without.api.terminal(await without.api.upload(await files.write('talk.age', age)))).error?.code).toBe('media_sealed_key_unknown');
    });
  }
});
