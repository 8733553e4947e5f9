import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MediaFiles, ParlanceProcess, SAMPLES } from '@parlance/testing';
import { LoopProbe } from './request-fuzz/loop-probe.js';
import { machineSlowness } from './request-fuzz/machine-slowness.js';

/** Milliseconds of processor time that the reads of an account may hold the event loop; where the machine is slower at that moment, as many times more. */
const LIMIT_MS = 50;
/** A collection of garbage may fall into one try. */
const TRIES = 4;
const AT_ONCE = 10;
const MANY_AT_ONCE = 80;
/** Files in JSON that an account may send at once. */
const JSON_AT_ONCE = 2;
const HOURS = process.env.RANDOM_CASES === 'all' ? 10 : 1;
/** Bytes of the file in Base64, of a request in JSON. */
const JSON_FILE_BYTES = 24 * 1024 ** 2;

const comparable = (ms: number): number => (ms > LIMIT_MS ? ms / machineSlowness() : ms);

describe(`a transcript of ${HOURS} hours`, () => {
  const opened = new AsyncDisposableStack();
  const probe = new LoopProbe();
  let parlance: ParlanceProcess;
  let jobId: string;
  beforeAll(async () => {
    const files = opened.use(await MediaFiles.create());
    parlance = opened.use(await ParlanceProcess.start({ env: { ...probe.env, SPEECH_ENGINE_URL: 'fixture:', DIARIZATION_ENGINE_URL: 'fixture:?speakers=4&turnSeconds=7' } }));
    const path = await files.make('long.mp3', '-stream_loop', String(Math.ceil((HOURS * 3600) / SAMPLES.meeting.duration)), '-i', SAMPLES.meeting.path, '-c', 'copy');
    jobId = await parlance.api.upload(path, { diarization: 'true', summary: 'false', highlights: 'false' });
    await parlance.api.terminal(jobId);
  }, 600_000);
  afterAll(() => opened.disposeAsync());

  /** @returns the longest turn while all requests are answered, in milliseconds; the statuses */
  async function held(send: () => Promise<Response>, atOnce = AT_ONCE): Promise<{ ms: number; statuses: number[] }> {
    let ms = Infinity;
    let statuses: number[] = [];
    for (let tries = 0; tries < TRIES && ms > LIMIT_MS; tries += 1) {
      await probe.measure();
      statuses = await Promise.all(
        Array.from({ length: atOnce }, async () => {
          const response = await send();
          for await (const _ of response.body ?? []) await Promise.resolve();
          return response.status;
        }),
      );
      ms = Math.min(ms, comparable((await probe.measure()).longestMs));
    }
    return { ms, statuses: [...new Set(statuses)] };
  }

  const get = (path: string) => fetch(`${parlance.api.url}${path.replace('{id}', jobId)}`, { headers: { authorization: `Bearer ${parlance.api.apiKey}` } });
  const native = (path: string) => `/api/v1/transcriptions/{id}${path}`;
  const assemblyAi = (path: string) => `/compat/assemblyai/v2/transcript/{id}${path}`;

  it.each([
    native(''), native('?include=words'), native('/words?q=harbor,ticket,zebra'), native('/sentences?limit=100'), native('/paragraphs?limit=100'), native('/waveform?points=1000'),
    ...['txt', 'srt', 'vtt', 'json', 'md', 'ass', 'stl', 'ttml'].map((format) => native(`/export/${format}`)), native('/export/srt?max_line_chars=80'),
    assemblyAi(''), assemblyAi('/sentences'), assemblyAi('/paragraphs'), assemblyAi('/word-search?words=harbor,ticket'), assemblyAi('/srt'), assemblyAi('/vtt?chars_per_caption=32'),
  ])(`is read ${AT_ONCE} times at once without holding the event loop: %s`, async (path) => {
    const { ms, statuses } = await held(() => get(path));
    process.stdout.write(`${ms.toFixed(1)} ms: ${path}\n`);
    expect({ statuses, isHeld: ms > LIMIT_MS }).toEqual({ statuses: [200], isHeld: false });
  }, 300_000);

  it.each([native('?include=words'), assemblyAi('')])(`is read ${MANY_AT_ONCE} times at once without holding the event loop: %s`, async (path) => {
    const { ms, statuses } = await held(() => get(path), MANY_AT_ONCE);
    process.stdout.write(`${ms.toFixed(1)} ms: ${MANY_AT_ONCE} × ${path}\n`);
    expect({ statuses, isHeld: ms > LIMIT_MS }).toEqual({ statuses: [200], isHeld: false });
  }, 300_000);

  it('may be asked for by 24 MiB in JSON without holding the event loop', async () => {
    // No recording, so that nothing is measured but the request.
    const body = JSON.stringify({ model: 'whisper-1', input_audio: { data: Buffer.alloc(JSON_FILE_BYTES, 'no recording').toString('base64'), format: 'mp3' } });
    const post = () => fetch(`${parlance.api.url}/v1/audio/transcriptions`, { method: 'POST', body, headers: { authorization: `Bearer ${parlance.api.apiKey}`, 'content-type': 'application/json' } });
    const { ms, statuses } = await held(post, JSON_AT_ONCE);
    process.stdout.write(`${ms.toFixed(1)} ms: 24 MiB in JSON\n`);
    expect({ statuses, isHeld: ms > LIMIT_MS }).toEqual({ statuses: [400], isHeld: false });
  }, 300_000);
});
