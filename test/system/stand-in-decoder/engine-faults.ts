import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeDecoder, NO_ADD_ONS, startParlance, type Parlance, SAMPLES, type DecoderFault } from '@parlance/testing';
import { nothingLeft } from '../nothing-left.js';
import { CHUNK_ATTEMPTS, CHUNKS, product, standInDecoder } from './product.js';

/** Of a program that hangs: within this time it must have noted its call, on a busy machine as well. */
const HANGS_AFTER_SECONDS = '5';

async function jobFails({ api }: Parlance, decoder: FakeDecoder, code: string, message: RegExp): Promise<void> {
  const job = await api.terminal(await api.upload(SAMPLES.reading.path, NO_ADD_ONS));
  expect(job).toMatchObject({ status: 'failed', error: { code, retryable: true, message: expect.stringMatching(message) } });
  expect(job.error?.message).toMatch(/^Chunk 1 of 1 \(00:00:00–00:00:0\d\) could not be transcribed: /);
  expect(job.stages).toMatchObject({ ingest: { status: 'completed' }, transcription: { status: 'failed', error: { code } } });
  expect(await decoder.calls()).toHaveLength(CHUNK_ATTEMPTS);
}

describe('a speech engine', () => {
  let decoder: FakeDecoder;
  let parlance: Parlance;

  beforeAll(async () => {
    decoder = await standInDecoder();
    parlance = await product();
  });
  afterEach(() => decoder.mend());

  const FAULTS: [what: string, fault: DecoderFault, message: RegExp][] = [
    ['that crashes', 'exit', /ended with status 1: the acoustic model is broken/],
    ['that is killed', 'kill', /was killed by SIGKILL/],
    ['that prints garbage', 'garbage', /ended before it had transcribed all of the audio/],
    ['that prints megabytes', 'megabytes', /ended before it had transcribed all of the audio/],
    ['that leaves without a word', 'nothing', /ended before it had transcribed all of the audio/],
  ];

  it.each(FAULTS)('%s fails the job with the chunk and the cause, after every try', async (_what, fault, message) => {
    await decoder.fail(fault);
    await jobFails(parlance, decoder, 'engine_failed', message);
    await nothingLeft(parlance);
  });

  it('that hangs fails it as well, when its time is over each time', async () => {
    await using hanging = await FakeDecoder.create();
    await using impatient = await startParlance({ env: { ...CHUNKS, CHUNK_TIMEOUT_SECONDS: HANGS_AFTER_SECONDS, SPEECH_ENGINE_URL: hanging.engineUrl } });
    await hanging.fail('hang');
    await jobFails(impatient, hanging, 'engine_timeout', /took too long/);
    await nothingLeft(impatient);
  });

  it('that fails twice and then works completes the job', async () => {
    await decoder.failFirst(2);
    const { api } = parlance;
    const job = await api.terminal(await api.upload(SAMPLES.reading.path, NO_ADD_ONS));
    expect(job).toMatchObject({ status: 'completed', transcript: { text: expect.stringMatching(/spoken/i) } });
    expect(await decoder.calls()).toHaveLength(3);
  });

  it('that is mended redoes in a retry only the chunks that are missing', async () => {
    const { api } = parlance;
    const undisturbed = await api.terminal(await api.upload(SAMPLES.meeting.path, NO_ADD_ONS));
    const chunks = await decoder.calls();
    expect(new Set(chunks).size).toBe(chunks.length);
    expect(chunks.length).toBeGreaterThanOrEqual(3);

    // The last one, so that the others are done before its last try.
    const broken = chunks.at(-1)!;
    await decoder.mend();
    await decoder.failChunk(broken);
    const jobId = await api.upload(SAMPLES.meeting.path, NO_ADD_ONS);
    const failed = await api.terminal(jobId);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'engine_failed', message: expect.stringMatching(/^Chunk \d of \d \(\d\d:\d\d:\d\d–\d\d:\d\d:\d\d\) /) } });
    const done = new Set((await decoder.calls()).filter((chunk) => chunk !== broken));

    await decoder.mend();
    expect((await api.retry(jobId)).status).toBe(202);
    const retried = await api.terminal(jobId);
    expect(retried).toMatchObject({ status: 'completed', transcript: undisturbed.transcript });
    expect(retried.error).toBeUndefined();
    const again = await decoder.calls();
    expect(again).toContain(broken);
    expect(again.filter((chunk) => done.has(chunk))).toEqual([]);
    expect((await api.retry(jobId)).status).toBe(409);
    await nothingLeft(parlance);
  });
});
