import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, SAMPLES, startParlance, totalsOf, type JobAnswer, type TestApi } from '@parlance/testing';
import { product } from './product.js';

/** Two people in nine turns, half a second apart; the fixture recogniser hears bursts of sound as words. */
describe('who speaks in a meeting of two, with the built-in diarizer', () => {
  let api: TestApi;
  let job: JobAnswer;

  beforeAll(async () => {
    api = await (await product()).newAccount();
    job = await api.terminal(await api.upload(SAMPLES.meeting.path));
  });

  const path = () => `/transcriptions/${job.job_id}`;
  const json = async <T>(method: string, rest: string, body?: unknown): Promise<{ status: number; body: T }> => {
    const headers = { 'content-type': 'application/json' };
    const response = await api.request(method, `${path()}${rest}`, body === undefined ? {} : { headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as T };
  };
  const text = (format: 'txt' | 'srt' | 'vtt' | 'json', options = '') => api.transcript(job.job_id, format, options);

  it('is in the transcript as soon as the job is completed', () => {
    expect(job).toMatchObject({ status: 'completed', stages: { diarization: { status: 'completed', engine: 'built-in', attempts: 1 } } });
    const { speakers, segments } = job.transcript ?? { speakers: [], segments: [] };
    expect(speakers.map(({ speaker_id: id, name }) => [id, name])).toEqual([['S1', 'Speaker 1'], ['S2', 'Speaker 2']]);
    // The reference: A speaks for 17 s and B for 19 s, in turns, A first and last.
    for (const { talk_time: seconds } of speakers) expect(Math.abs(seconds - 17)).toBeLessThan(4);
    const turns = segments.map(({ speaker_id: id }) => id).filter((id, index, all) => id !== all[index - 1]);
    expect(turns).toEqual(['S1', 'S2', 'S1', 'S2', 'S1', 'S2', 'S1', 'S2', 'S1']);
  });

  it('is said in every document, unless it is not to be', async () => {
    expect(await text('txt')).toMatch(/^Speaker 1: /);
    expect(await text('srt')).toContain('Speaker 2: ');
    expect(await text('vtt')).toContain('<v Speaker 2>');
    for (const format of ['txt', 'srt', 'vtt', 'json'] as const) expect(await text(format, '&speakers=false')).not.toMatch(/Speaker|S1/);
  });

  it('is named everywhere at once, the job’s ETag included', async () => {
    const before = await api.request('GET', path());
    const etag = before.headers.get('etag') ?? '';
    await before.text();
    const unchanged = await api.request('GET', path(), { headers: { 'if-none-match': etag } });
    expect(unchanged.status).toBe(304);

    expect(await json('PATCH', '/speakers/S2', { name: 'Ada <Lovelace>' })).toMatchObject({ status: 200, body: { speaker_id: 'S2', name: 'Ada <Lovelace>' } });
    const after = await api.request('GET', path(), { headers: { 'if-none-match': etag } });
    expect(after.status).toBe(200);
    expect(((await after.json()) as JobAnswer).transcript?.speakers[1]).toMatchObject({ speaker_id: 'S2', name: 'Ada <Lovelace>' });
    expect(await text('txt')).toContain('\n\nAda <Lovelace>: ');
    expect(await text('vtt')).toContain('<v Ada &lt;Lovelace&gt;>');
  });

  it('refuses names and speakers that are none', async () => {
    expect(await json('PATCH', '/speakers/S2', { name: ' ' })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/name' }] } });
    for (const name of ['two\nlines', '\u200b', 'Ada\u202e']) expect(await json('PATCH', '/speakers/S2', { name })).toMatchObject({ status: 422 });
    expect(await json('PATCH', '/speakers/S9', { name: 'Nobody' })).toMatchObject({ status: 404 });
    expect(await json('POST', '/speakers/merge', { from: 'S1', into: 'S1' })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/into' }] } });
    expect((await json('PUT', '/speakers/S1', {})).status).toBe(405);
  });

  it('can turn out to be one person', async () => {
    const merged = await json<{ data: { speaker_id: string; talk_time: number }[] }>('POST', '/speakers/merge', { from: 'S2', into: 'S1' });
    expect(merged).toMatchObject({ status: 200, body: { data: [{ speaker_id: 'S1', name: 'Speaker 1' }], next_cursor: null } });
    expect((await json('GET', '/speakers')).body).toEqual(merged.body);
    const { transcript } = await api.job(job.job_id, '?include=words');
    const ids = transcript?.segments.flatMap(({ speaker_id: id, words = [] }) => [id, ...words.map((word) => word.speaker_id)]);
    expect(new Set(ids)).toEqual(new Set(['S1']));
  });

  it('is found later where the job was created without it, from the media that is kept, and an edit stays', async () => {
    const parlance = await product();
    const { job_id: id, transcript: before } = await api.terminal(await api.upload(SAMPLES.meeting.path, { diarization: 'false', summary: 'false', highlights: 'false' }));
    const first = before?.segments[0]?.segment_id ?? '';
    const body = JSON.stringify({ text: 'These words were written by hand.' });
    await eventually('the job to be at rest', async () => (await api.request('PATCH', `/transcriptions/${id}/segments/${first}`, { headers: { 'content-type': 'application/json' }, body })).status === 200);
    const ordered = await eventually('the order', async () => {
      const answer = await api.post(`/transcriptions/${id}/add-ons`, { diarization: { max_speakers: 2 } });
      return answer.status === 202 && ((await answer.json()) as JobAnswer);
    });
    expect(ordered).toMatchObject({ status: 'completed' });
    expect(ordered.stages.diarization?.status).toMatch(/^(pending|running|completed)$/);
    const found = await eventually('the speakers', async () => {
      const late = await api.job(id);
      return late.stages.diarization?.status === 'completed' && late;
    });
    expect(found.transcript?.speakers.map(({ speaker_id: speaker }) => speaker)).toEqual(['S1', 'S2']);
    expect(found.transcript?.segments.map(({ text: said }) => said).join(' ')).toContain('These words were written by hand.');
    expect(found).toMatchObject({ options: { diarization: { enabled: true, max_speakers: 2 } }, stages: { transcription: { attempts: 1 } }, usage: job.usage });
    await eventually('the decoded audio to go', async () => !(await parlance.media(id)).some((key) => key.startsWith('audio/')));
  });

  it('is kept to the number of people that was asked for', async () => {
    const alone = await api.upload(SAMPLES.meeting.path, { diarization: JSON.stringify({ max_speakers: 1 }) });
    const many = await api.upload(SAMPLES.meeting.path, { diarization: JSON.stringify({ min_speakers: 40 }) });
    expect((await api.terminal(alone)).transcript?.speakers).toHaveLength(1);
    expect((await api.terminal(many)).warnings).toContainEqual({ code: 'speakers_below_minimum', message: expect.any(String) });
  });
});

describe('a diarizer that fails', () => {
  it('costs nothing but the speakers, which a retry brings without transcribing again', async () => {
    const env = { SPEECH_ENGINE_URL: 'fixture:', DIARIZATION_ENGINE_URL: 'fixture:?failTimes=1&turnSeconds=3', DIARIZATION_MAX_ATTEMPTS: '1' };
    await using parlance = await startParlance({ env });
    const { api } = parlance;
    const jobId = await api.upload(SAMPLES.reading.path);
    const failed = await api.terminal(jobId);
    expect(failed).toMatchObject({
      status: 'completed',
      stages: { diarization: { status: 'failed', error: { code: 'engine_failed' } } },
      warnings: expect.arrayContaining([{ code: 'diarization_failed', message: expect.any(String) }]),
    });
    expect(failed.transcript).toMatchObject({ text: expect.stringMatching(/\w/), speakers: [] });

    // With several processes the retry may meet one that has not failed yet.
    const again = async (): Promise<JobAnswer> => {
      expect((await api.request('POST', `/transcriptions/${jobId}/retry`)).status).toBe(202);
      return eventually('the stage to end', async () => {
        const job = await api.job(jobId);
        return ['completed', 'failed'].includes(job.stages.diarization?.status ?? '') && job;
      });
    };
    const first = await again();
    const retried = first.stages.diarization?.status === 'failed' ? await again() : first;
    expect(retried).toMatchObject({ status: 'completed', stages: { diarization: { status: 'completed' }, transcription: { attempts: 1 } } });
    expect(retried.warnings.map(({ code }) => code)).not.toContain('diarization_failed');
    expect(retried.transcript?.text).toBe(failed.transcript?.text);
    expect(retried.transcript?.speakers.map(({ speaker_id: id }) => id)).toEqual(['S1', 'S2']);
    const counted = { 'parlance_diarization_failures_total{code="engine_failed"}': retried === first ? 1 : 2, 'parlance_diarization_real_time_factor_count{engine="fixture"}': 1 };
    expect(await totalsOf(parlance, counted)).toEqual(counted);
  });
});
