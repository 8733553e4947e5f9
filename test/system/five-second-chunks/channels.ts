import { readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, MediaFiles, NO_ADD_ONS, SAMPLES, type JobAnswer, type Parlance, type Problem } from '@parlance/testing';
import { nothingLeft } from '../nothing-left.js';
import { product } from './product.js';

const QUICK = { diarization: false, summary: false, highlights: false };

/** A call with the reading on the left and the meeting on the right, at once. The fixture recogniser makes words of bursts of sound. */
describe('a recording with one party on each channel', () => {
  let parlance: Parlance;
  let files: MediaFiles;
  let call: string;
  const opened = new AsyncDisposableStack();

  beforeAll(async () => {
    files = opened.use(await MediaFiles.create());
    const graph = '[0:a]aresample=16000[left];[1:a]aresample=16000[right];[left][right]join=inputs=2:channel_layout=stereo';
    call = await files.make('call.wav', '-i', SAMPLES.reading.path, '-i', SAMPLES.meeting.path, '-filter_complex', graph, '-t', '9');
    parlance = await product();
  });
  afterAll(() => opened.disposeAsync());

  const ended = async (path: string, fields: Record<string, string>): Promise<JobAnswer> => {
    const { job_id: jobId } = await parlance.api.terminal(await parlance.api.upload(path, fields));
    return parlance.api.job(jobId, '?include=words');
  };
  const oneChannel = (number: number) => files.make(`channel-${number}.wav`, '-i', call, '-af', `pan=mono|c0=c${number}`);
  const billedOf = (job: JobAnswer) => (job.usage as { billed_seconds: number }).billed_seconds;
  const durationOf = (job: JobAnswer) => (job.media as { duration: number }).duration;

  it('is transcribed as each channel alone is, merged by time, with a speaker for each channel', async () => {
    const job = await ended(call, { channels: 'split', channel_names: '["Agent", "Customer"]' });
    expect(job).toMatchObject({ status: 'completed', media: { channels: 2 }, channels: { requested: 'split', used: 'split', transcribed: 2 }, stages: { diarization: { status: 'skipped' } } });
    const { segments, speakers } = job.transcript ?? { segments: [], speakers: [] };
    for (const channel of [0, 1]) {
      const alone = await ended(await oneChannel(channel), NO_ADD_ONS);
      const own = segments.filter((segment) => segment.channel === channel);
      expect(own.map(({ text }) => text).join(' ')).toBe(alone.transcript?.text);
      const words = own.flatMap((segment) => segment.words ?? []);
      expect(words.map(({ start, end }) => [start, end])).toEqual(alone.transcript?.segments.flatMap((segment) => segment.words ?? []).map(({ start, end }) => [start, end]));
      for (const spoken of [...own, ...words]) expect(spoken).toMatchObject({ channel, speaker_id: `S${channel + 1}` });
    }
    expect(segments.map(({ start }) => start)).toEqual(segments.map(({ start }) => start).toSorted((one, other) => one - other));
    expect(new Set(segments.map(({ segment_id: id }) => id)).size).toBe(segments.length);
    expect(segments.some((segment, index) => segment.start < (segments[index - 1]?.end ?? 0))).toBe(true);
    expect(speakers.map(({ speaker_id: id, name }) => [id, name]).toSorted()).toEqual([['S1', 'Agent'], ['S2', 'Customer']]);
    expect(billedOf(job)).toBeCloseTo(2 * durationOf(job), 3);

    for (const format of ['txt', 'srt', 'vtt'] as const) expect(await parlance.api.transcript(job.job_id, format)).toMatch(/Agent.*Customer|Customer.*Agent/s);
    const told = [];
    for await (const { event, data } of parlance.api.events(job.job_id)) if (event === 'transcript.segment') told.push(data);
    expect(told.length).toBeGreaterThan(1);
    for (const segment of told) expect(segment).toMatchObject({ speaker_id: `S${Number(segment.channel) + 1}` });
  });

  it('may come as a file of each participant, of which shorter ones end in silence', async () => {
    const left = await oneChannel(0);
    const right = await files.make('short.mp3', '-i', await oneChannel(1), '-t', '6');
    const uploaded = await Promise.all([left, right].map(async (path) => {
      const response = await parlance.api.request('POST', '/uploads', { body: await readFile(path), headers: { 'content-type': 'application/octet-stream' } });
      return ((await response.json()) as { upload_id: string }).upload_id;
    }));
    const [first, second] = uploaded as [string, string];
    const { job_id: jobId } = await parlance.api.terminal(await parlance.api.submit({ files: [{ upload_id: first, speaker: 'Ada' }, { upload_id: second }], ...QUICK }));
    const job = await parlance.api.job(jobId, '?include=words');
    expect(job).toMatchObject({ status: 'completed', channels: { used: 'split', transcribed: 2 }, media: { size_bytes: (await stat(left)).size + (await stat(right)).size } });
    expect(durationOf(job)).toBeCloseTo(9, 1);
    const { segments, speakers } = job.transcript ?? { segments: [], speakers: [] };
    expect(speakers.map(({ speaker_id: id, name }) => [id, name]).toSorted()).toEqual([['S1', 'Ada'], ['S2', 'Speaker 2']]);
    for (const [channel, path] of [left, right].entries()) {
      const alone = await ended(path, NO_ADD_ONS);
      expect(segments.filter((segment) => segment.channel === channel).map(({ text }) => text).join(' ')).toBe(alone.transcript?.text);
    }
    expect(billedOf(job)).toBeCloseTo(2 * durationOf(job), 3);
    expect(await parlance.media(jobId)).toEqual(expect.arrayContaining(['source', 'source-1']));
    const waveform = await parlance.api.json<{ duration: number; max: number[] }>(`/transcriptions/${jobId}/waveform?points=90`);
    expect(waveform.duration).toBeCloseTo(9, 1);
    // The second file has ended by then.
    expect(Math.max(...waveform.max.slice(65))).toBeGreaterThan(0.02);
    const late = await parlance.api.post(`/transcriptions/${jobId}/add-ons`, { diarization: true });
    expect([late.status, await late.json()]).toEqual([409, expect.objectContaining({ code: 'invalid_state', reason: 'channels_are_speakers' })]);
    await eventually('the job to be erased', async () => (await parlance.api.erasure(await parlance.api.delete(jobId))).status === 'completed');
    expect(await parlance.media(jobId)).toEqual([]);
  });

  it('is refused with the file that is wrong, when they come one by one', async () => {
    const [sound, text] = await Promise.all([await readFile(await oneChannel(0)), Buffer.from('no sound at all')].map(async (body) => {
      const response = await parlance.api.request('POST', '/uploads', { body, headers: { 'content-type': 'application/octet-stream' } });
      return ((await response.json()) as { upload_id: string }).upload_id;
    }));
    const refusal = async (body: object) => ((await (await parlance.api.post('/transcriptions', body)).json()) as Problem).errors?.[0];
    expect(await refusal({ files: [{ upload_id: sound }, { upload_id: 'upl_01k9z3v4n8e7q2xw5t6r0ybhcd' }] })).toMatchObject({ pointer: '/files/1/upload_id', code: 'upload_not_found' });
    expect(await refusal({ files: [{ upload_id: sound }] })).toMatchObject({ pointer: '/files', code: 'too_short' });
    expect(await refusal({ files: [{ upload_id: sound }, { upload_id: text }], upload_id: sound })).toMatchObject({ pointer: '/files' });
    expect(await refusal({ files: [{ upload_id: sound }, { upload_id: text }], channel_names: ['Ada'] })).toMatchObject({ pointer: '/channel_names' });
    expect(await refusal({ files: [{ upload_id: sound }, { upload_id: text }], channels: 'mix' })).toMatchObject({ pointer: '/channels', code: 'invalid_value' });
    const job = await parlance.api.terminal(await parlance.api.submit({ files: [{ upload_id: sound }, { upload_id: text }], ...QUICK }));
    expect(job).toMatchObject({ status: 'failed', error: { code: 'media_unsupported', message: expect.stringMatching(/^File 2 of 2: /) } });
  });

  it('is split on its own account where that is left to the server, and mixed with a warning otherwise', async () => {
    const auto = await ended(call, { ...NO_ADD_ONS, channels: 'auto' });
    expect(auto).toMatchObject({ channels: { requested: 'auto', used: 'split', transcribed: 2 }, warnings: [] });
    const mixed = await ended(call, NO_ADD_ONS);
    expect(mixed).toMatchObject({ channels: { requested: 'mix', used: 'mix', transcribed: 1 }, warnings: [{ code: 'channels_mixed' }] });
    expect(mixed.transcript?.segments.every((segment) => !('channel' in segment))).toBe(true);
    expect(billedOf(mixed)).toBe(durationOf(mixed));
  });

  it('that has the same sound on both channels is mixed', async () => {
    const stereo = await files.make('stereo.mp3', '-i', SAMPLES.reading.path, '-ac', '2');
    expect(await ended(stereo, { ...NO_ADD_ONS, channels: 'auto' })).toMatchObject({ channels: { requested: 'auto', used: 'mix', transcribed: 1 }, warnings: [] });
  });

  it('with more channels than are split is refused when that is asked for', async () => {
    const many = await files.make('many.wav', '-i', SAMPLES.reading.path, '-af', `pan=16c|${Array.from({ length: 16 }, (_, channel) => `c${channel}=c0`).join('|')}`);
    expect(await ended(many, { channels: 'split' })).toMatchObject({ status: 'failed', error: { code: 'media_too_many_channels', retryable: false } });
  });

  it('leaves nothing behind when it is deleted', async () => {
    const jobId = await parlance.api.upload(call, { channels: 'split', ...NO_ADD_ONS });
    await parlance.api.terminal(jobId);
    const erasureId = await parlance.api.delete(jobId);
    await eventually('every service to report', async () => (await parlance.api.erasure(erasureId)).status === 'completed');
    expect(await parlance.media(jobId)).toEqual([]);
    await nothingLeft(parlance);
  });
});
