import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, NO_ADD_ONS, SAMPLES, SpeechServer, startParlance, type JobAnswer, type Parlance } from '@parlance/testing';

const SPOKEN = 'My card is 4111 1111 1111 1111 and it is valid.';
const REDACTION = { policies: ['card_number'], audio: 'silence' };

type RedactedJob = JobAnswer & { media: { format: string; sha256: string; size_bytes: number }; options: { redaction: object } };

describe('a job with redacted audio', () => {
  let parlance: Parlance;
  let server: SpeechServer;
  beforeAll(async () => {
    server = await SpeechServer.start(() => SPOKEN);
    parlance = await startParlance({ env: { SPEECH_ENGINE_URL: server.url } });
  });
  afterAll(async () => {
    await parlance.dispose();
    await server[Symbol.asyncDispose]();
  });

  const upload = (redaction: object, fields: Record<string, string> = NO_ADD_ONS) => parlance.api.upload(SAMPLES.reading.path, { redaction: JSON.stringify(redaction), ...fields });
  const media = (jobId: string, rest = '') => parlance.api.request('GET', `/transcriptions/${jobId}/media${rest}`);

  it('serves nothing but the redacted recording, from its first moment on', async () => {
    const jobId = await upload(REDACTION);
    const answers: [number, string | null][] = [];
    await eventually('the job to end', async () => {
      const response = await media(jobId);
      answers.push([response.status, response.headers.get('content-type')]);
      return (await parlance.api.job(jobId)).status === 'completed';
    });
    expect(answers.every(([status, type]) => status === 409 || (status === 200 && type === 'audio/ogg'))).toBe(true);
    const job = (await parlance.api.job(jobId)) as RedactedJob;
    expect(job).toMatchObject({ stages: { audio_redaction: { status: 'completed' } }, media: { format: 'ogg' }, warnings: [], options: { redaction: { ...REDACTION, style: 'label' } } });
    const response = await media(jobId);
    expect([response.headers.get('etag'), response.headers.get('content-disposition')]).toEqual([`"${job.media.sha256}"`, expect.stringContaining('.ogg')]);
    expect((await response.arrayBuffer()).byteLength).toBe(job.media.size_bytes);
    expect((await media(jobId, '?original=true')).status).toBe(409);
    const clip = await media(jobId, '/clip?start=0&end=1&format=wav');
    expect([clip.status, clip.headers.get('content-type')]).toEqual([200, 'audio/wav']);
  });

  it('keeps the original beside it where that is asked for', async () => {
    const jobId = await upload({ ...REDACTION, audio: 'beep', keep_original: true });
    await parlance.api.terminal(jobId);
    const [redacted, original] = [await media(jobId), await media(jobId, '?original=true')];
    expect([redacted.headers.get('content-type'), original.status]).toEqual(['audio/ogg', 200]);
    expect(Buffer.from(await original.arrayBuffer()).subarray(0, 4).toString()).toBe('fLaC');
  });

  it('may get speakers later, by its redacted recording', async () => {
    const jobId = await upload(REDACTION);
    await parlance.api.terminal(jobId);
    const ordered = await parlance.api.post(`/transcriptions/${jobId}/add-ons`, { diarization: true });
    expect(ordered.status).toBe(202);
    const state = async () => ((await parlance.api.job(jobId)) as RedactedJob).stages['diarization']?.status;
    await eventually('diarization to end', async () => !['pending', 'running'].includes((await state()) ?? 'pending'));
    expect(await state()).toBe('completed');
  });

  it('is refused with another style', async () => {
    const response = await parlance.api.tryUpload(SAMPLES.reading.path, { redaction: JSON.stringify({ ...REDACTION, audio: 'blur' }) });
    expect(response.status).toBe(422);
  });
});
