import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, events, transcription, transcripts } from '@parlance/contracts';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';

describe('transcription jobs', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const news = (jobId: string) =>
    gateway.process.publish({ type: 'job.progressed', data: events.JobEvent.fromPartial({ jobId, accountId: gateway.accountId, status: common.JobStatus.JOB_STATUS_PROCESSING }) });
  const complete = (jobId: string) => {
    const word = { start: 0.5, end: 1, text: 'Hello', confidence: 0.9 };
    const segment = (id: string, text: string) => transcripts.Segment.fromPartial({ segmentId: id, start: 0.5, end: 2, text, confidence: 0.9, words: [word] });
    gateway.services.transcripts.set(jobId, {
      header: { language: 'en', duration: 4.2, speakers: [], segmentCount: 3, engine: 'stand-in', version: 1, formatting: 'rules', redacted: {} },
      pages: [[segment('seg_1', 'Hello there.'), segment('seg_2', 'How are you?')], [segment('seg_3', 'Fine.')]],
    });
    gateway.services.change(jobId, completed);
  };

  it('are accepted by URL and read again', async () => {
    const created = await gateway.call('POST', '/transcriptions', {
      json: { audio_url: 'https://example.org/a.mp3', language: 'EN-us', callback_url: 'https://example.org/hook', metadata: { project: 'apollo' } },
    });
    expect(created.status).toBe(202);
    const { job_id: jobId } = created.body as { job_id: string };
    expect(created.body).toEqual({
      job_id: jobId,
      status: 'queued',
      created_at: expect.stringMatching(/Z$/),
      links: { self: `/api/v1/transcriptions/${jobId}`, events: `/api/v1/transcriptions/${jobId}/events`, transcript: `/api/v1/transcriptions/${jobId}/transcript` },
    });
    expect(created.headers.get('location')).toBe(`/api/v1/transcriptions/${jobId}`);
    const job = await gateway.call('GET', `/transcriptions/${jobId}`);
    expect(job.body).toEqual({
      job_id: jobId,
      kind: 'file',
      status: 'queued',
      created_at: expect.stringMatching(/Z$/),
      audio_url: 'https://example.org/a.mp3',
      model: 'default',
      language: { requested: 'en-US' },
      metadata: { project: 'apollo' },
      channels: { requested: 'mix' },
      callback_url: 'https://example.org/hook',
      options: { language: 'en-US', channels: 'mix', diarization: { enabled: true }, summary: { enabled: true }, highlights: true, chapters: false, entities: false, vocabulary: [], formatting: 'auto', numerals: false, replace: [] },
      links: expect.objectContaining({ self: `/api/v1/transcriptions/${jobId}`, transcript: `/api/v1/transcriptions/${jobId}/transcript` }),
      priority: 'normal',
      progress: { percent: 0, stage: 'ingest' },
      stages: Object.fromEntries(['ingest', 'transcription', 'diarization', 'summary', 'highlights', 'chapters', 'entities', 'audio_redaction', 'search', 'sealing'].map((stage) => [stage, { status: 'pending', attempts: 0 }])),
      warnings: [],
    });
  });

  it('have the normal priority when nothing is said', async () => {
    await gateway.submit();
    expect(gateway.services.created.at(-1)?.options?.priority).toBeUndefined();
    const jobId = await gateway.submit({ priority: 'batch' });
    expect(gateway.services.created.at(-1)?.options?.priority).toBe(common.JobPriority.JOB_PRIORITY_BATCH);
    expect((await gateway.call('GET', `/transcriptions/${jobId}`)).body).toMatchObject({ priority: 'batch' });
    expect(await gateway.call('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3', priority: 'high' } })).toMatchObject({ status: 422 });
  });

  it('have their channels mixed when nothing is said, and as is said otherwise, with names', async () => {
    await gateway.submit();
    expect(gateway.services.created.at(-1)?.options?.channels).toEqual({ mode: common.ChannelMode.CHANNEL_MODE_MIX, names: [] });
    await gateway.submit({ channels: 'auto', channel_names: ['Agent', 'Customer'] });
    expect(gateway.services.created.at(-1)?.options?.channels).toEqual({ mode: common.ChannelMode.CHANNEL_MODE_AUTO, names: ['Agent', 'Customer'] });
    for (const wrong of [{ channels: 'both' }, { channel_names: ['two\nlines'] }, { channel_names: Array(9).fill('Ada') }]) {
      expect(await gateway.call('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3', ...wrong } })).toMatchObject({ status: 422 });
    }
  });

  it('say which model and which languages they were asked for', async () => {
    const jobId = await gateway.submit({ model: 'default', language: { expected: ['de', 'EN-us', 'de'], min_confidence: 0.5, fallback: 'de' } });
    expect(gateway.services.created.at(-1)?.options).toMatchObject({
      model: 'default', language: undefined, languageDetection: { expected: ['de', 'en-US'], minConfidence: 0.5, fallback: 'de' },
    });
    expect((await gateway.call('GET', `/transcriptions/${jobId}`)).body).toMatchObject({
      model: 'default', language: { expected: ['de', 'en-US'], min_confidence: 0.5, fallback: 'de' },
    });
  });

  it('pass on how words are to be written', async () => {
    const replace = [{ from: 'parlors', to: 'Parlance' }];
    await gateway.submit({ replace });
    expect(gateway.services.created.at(-1)?.options?.spelling).toEqual({ replace, format: true, numerals: false, filters: undefined });
    await gateway.submit({ formatting: 'none', numerals: true, filters: { profanity: 'mask', fillers: 'remove', filler_words: ['like'] } });
    expect(gateway.services.created.at(-1)?.options?.spelling).toEqual({
      replace: [],
      format: false,
      numerals: true,
      filters: { maskProfanity: true, removeProfanity: false, profanityWords: [], removeFillers: true, fillerWords: ['like'] },
    });
  });

  it.each([
    ['a spelling without a word', { replace: [{ from: '—', to: 'dash' }] }, [{ pointer: '/replace/0/from', code: 'invalid_format', detail: 'This needs a letter or a digit.' }]],
    ['a filter of a phrase', { filters: { filler_words: ['you know'] } }, [{ pointer: '/filters/filler_words/0', code: 'invalid_format', detail: 'This must be one word.' }]],
    ['a model that does not exist', { model: 'other' }, [{ pointer: '/model', code: 'model_unknown', detail: 'There is no such model. The models are: default, english.' }]],
    ['a language that the model lacks', { model: 'english', language: 'de' }, [{ pointer: '/language', code: 'language_unsupported', detail: 'The speech engine does not support de; it supports: en.' }]],
    ['an expected language that the model lacks', { language: { expected: ['en', 'fr'] } }, [{ pointer: '/language/expected/1', code: 'language_unsupported', detail: expect.anything() }]],
    ['a fallback that the model lacks', { language: { expected: ['en'], fallback: 'fr' } }, [{ pointer: '/language/fallback', code: 'language_unsupported', detail: expect.anything() }]],
    ['a detection that the model does not report', { model: 'english', language: { expected: ['en'] } }, [{ pointer: '/language', code: 'not_supported', detail: expect.stringContaining('english') }]],
    ['no expected language', { language: { expected: [] } }, [{ pointer: '/language/expected', code: 'too_short', detail: expect.anything() }]],
    ['a confidence beyond 1', { language: { expected: ['en'], min_confidence: 2 } }, [{ pointer: '/language/min_confidence', code: 'too_large', detail: expect.anything() }]],
    ['the name of a language', { language: 'english' }, [{ pointer: '/language', code: 'language_unsupported', detail: 'Did you mean en? The speech engine does not support english; it supports: en, de.' }]],
    ['a locale', { language: 'en_US' }, [{ pointer: '/language', code: 'invalid_format', detail: 'This is not a BCP 47 language tag. Did you mean en-US?' }]],
    ['auto', { language: 'auto' }, [{ pointer: '/language', code: 'invalid_format', detail: 'This is not a BCP 47 language tag. Omit the field to have the language detected.' }]],
  ])('are refused with %s', async (_what, body, errors) => {
    expect(await gateway.call('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3', ...body } })).toMatchObject({ status: 422, body: { errors } });
  });

  it('have everything on when nothing is said, and what is said otherwise', async () => {
    await gateway.submit();
    expect(gateway.services.created.at(-1)?.options).toMatchObject({ diarization: { enabled: true }, summary: { enabled: true }, highlights: true });
    await gateway.submit({ diarization: false, summary: { format: 'bullets' }, highlights: false, retention_hours: 0, vocabulary: ['Parlance'] });
    expect(gateway.services.created.at(-1)?.options).toMatchObject({
      diarization: { enabled: false },
      summary: { enabled: true, format: 'bullets' },
      highlights: false,
      retentionHours: 0,
      vocabulary: ['Parlance'],
    });
  });

  it('of another account are not found', async () => {
    const jobId = await gateway.submit();
    const { apiKey } = await gateway.createAccount();
    for (const [method, path] of [['GET', ''], ['DELETE', ''], ['POST', '/cancel'], ['POST', '/retry'], ['GET', '/events'], ['GET', '/transcript'], ['GET', '/deliveries']]) {
      const answer = await gateway.call(method ?? '', `/transcriptions/${jobId}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
      expect({ path, ...answer }).toMatchObject({ path, status: 404, body: { code: 'not_found' } });
    }
  });

  it('hold their transcript once it is there, with words or without it when asked', async () => {
    const jobId = await gateway.submit();
    complete(jobId);
    const { body, headers } = await gateway.call<{ transcript: { segments: object[] } }>('GET', `/transcriptions/${jobId}`);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject({ status: 'completed', transcript: { text: 'Hello there. How are you? Fine.', language: 'en', duration: 4.2, speakers: [] } });
    expect(body.transcript.segments).toHaveLength(3);
    expect(body.transcript.segments[0]).toEqual({ segment_id: 'seg_1', start: 0.5, end: 2, text: 'Hello there.', confidence: 0.9 });
    const withWords = await gateway.call<{ transcript: { segments: object[] } }>('GET', `/transcriptions/${jobId}?include=words`);
    expect(withWords.body.transcript.segments[0]).toMatchObject({ words: [{ start: 0.5, end: 1, text: 'Hello', confidence: 0.9 }] });
    expect((await gateway.call('GET', `/transcriptions/${jobId}?include=none`)).body).not.toHaveProperty('transcript');
  });

  it('are cheap to poll: 304 until they change', async () => {
    const jobId = await gateway.submit();
    const etag = (await gateway.call('GET', `/transcriptions/${jobId}`)).headers.get('etag') ?? '';
    const poll = () => gateway.fetch(`/api/v1/transcriptions/${jobId}`, { headers: { 'if-none-match': `"other", ${etag}` } });
    expect((await poll()).status).toBe(304);
    gateway.services.change(jobId, (job) => ({ ...job, progress: { percent: 5, stage: common.Stage.STAGE_INGEST } }));
    expect((await poll()).status).toBe(200);
  });

  it('can be waited for: the answer comes with the change of status', async () => {
    const jobId = await gateway.submit();
    const waiting = gateway.call('GET', `/transcriptions/${jobId}?wait=60`);
    await eventually('the wait to begin', async () => (await (await fetch(`${gateway.url}/metrics`)).text()).includes('parlance_job_watches 1'));
    await news(jobId);
    gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_PROCESSING }));
    await news(jobId);
    expect((await waiting).body).toMatchObject({ status: 'processing' });
    expect((await gateway.call('GET', `/transcriptions/${jobId}?wait=1`)).body).toMatchObject({ status: 'processing' });
    complete(jobId);
    expect((await gateway.call('GET', `/transcriptions/${jobId}?wait=60`)).body).toMatchObject({ status: 'completed' });
  });

  it('are given at once to a long poll whose ETag is of an earlier state, and else with their next change', async () => {
    const jobId = await gateway.submit();
    const poll = (etag: string, query = '?wait=60') => gateway.call('GET', `/transcriptions/${jobId}${query}`, { headers: { authorization: `Bearer ${gateway.apiKey}`, 'if-none-match': etag } });
    const progressed = (percent: number) => gateway.services.change(jobId, (job) => ({ ...job, progress: { percent, stage: common.Stage.STAGE_INGEST } }));
    const old = (await gateway.call('GET', `/transcriptions/${jobId}`)).headers.get('etag') ?? '';
    progressed(5);
    const newer = await poll(old);
    expect(newer).toMatchObject({ status: 200, body: { progress: { percent: 5 } } });
    const waiting = poll(newer.headers.get('etag') ?? '');
    await eventually('the wait to begin', async () => (await (await fetch(`${gateway.url}/metrics`)).text()).includes('parlance_job_watches 1'));
    progressed(6);
    await news(jobId);
    expect(await waiting).toMatchObject({ status: 200, body: { progress: { percent: 6 } } });
  });

  it('can be waited for until the transcript is there, until they have ended, or for any change', async () => {
    const jobId = await gateway.submit();
    const isWaited = (count: number) => eventually('the waits to begin', async () => (await (await fetch(`${gateway.url}/metrics`)).text()).includes(`parlance_job_watches ${count}`));
    const [transcript, terminal, change] = ['transcript', 'terminal', 'change'].map((what) => gateway.call('GET', `/transcriptions/${jobId}?include=none&wait=60&wait_for=${what}`));
    await isWaited(3);
    gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_PROCESSING }));
    await news(jobId);
    expect((await change)?.body).toMatchObject({ status: 'processing' });
    await isWaited(2);
    const transcription = common.StageState.fromPartial({ stage: common.Stage.STAGE_TRANSCRIPTION, status: common.StageStatus.STAGE_STATUS_COMPLETED });
    gateway.services.change(jobId, (job) => ({ ...job, stages: [transcription] }));
    await news(jobId);
    expect((await transcript)?.body).toMatchObject({ status: 'processing', stages: { transcription: { status: 'completed' } } });
    await isWaited(1);
    gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_COMPLETED }));
    await news(jobId);
    expect((await terminal)?.body).toMatchObject({ status: 'completed' });
  });

  it('are listed in any of several states, and since a date', async () => {
    const { apiKey } = await gateway.createAccount();
    const own = gateway.as(apiKey);
    const [failed, canceled] = [await own.submit(), await own.submit(), await own.submit()];
    gateway.services.change(failed ?? '', (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED }));
    gateway.services.change(canceled ?? '', (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_CANCELED }));
    const ids = async (query: string) => (await own.call<{ data: { job_id: string }[] }>('GET', `/transcriptions?${query}`)).body.data.map(({ job_id: id }) => id);
    expect((await ids('statuses=failed,canceled')).toSorted()).toEqual([failed, canceled].toSorted());
    expect(await ids('statuses=failed')).toEqual([failed]);
    expect(await ids('created_after=2020-01-01&order=asc')).toHaveLength(3);
    expect((await own.call('GET', '/transcriptions?statuses=failed,lost')).status).toBe(422);
    expect((await own.call('GET', '/transcriptions?created_after=2026-13-01')).status).toBe(422);
    const { body } = await own.call('DELETE', `/transcriptions/${failed}`);
    expect((await own.call('GET', '/erasures')).body).toMatchObject({ data: [{ erasure_id: body['erasure_id'], job_id: failed }], next_cursor: null });
  });

  it('are listed newest first, by page, status and metadata', async () => {
    const tag = `tag-${Date.now()}`;
    const jobs: string[] = [];
    for (let index = 0; index < 5; index++) jobs.unshift(await gateway.submit({ metadata: { tag, index: String(index) } }));
    const list = (query: string) => gateway.call<{ data: { job_id: string }[]; next_cursor: string | null }>('GET', `/transcriptions?metadata[tag]=${tag}${query}`);
    const first = await list('&limit=3');
    const second = await list(`&limit=3&cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...second.body.data].map(({ job_id }) => job_id)).toEqual(jobs);
    expect(second.body.next_cursor).toBeNull();
    expect((await list('&metadata[index]=2')).body.data.map(({ job_id }) => job_id)).toEqual([jobs[2]]);
    expect((await list('&status=completed&created_after=2026-01-01T00:00:00%2B02:00')).body.data).toEqual([]);
  });

  it('can be canceled while they run', async () => {
    const jobId = await gateway.submit();
    expect(await gateway.call('POST', `/transcriptions/${jobId}/cancel`)).toMatchObject({ status: 202, body: { status: 'canceled' } });
    expect(await gateway.call('POST', `/transcriptions/${jobId}/cancel`)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  it('can be retried when they failed', async () => {
    const jobId = await gateway.submit();
    expect(await gateway.call('POST', `/transcriptions/${jobId}/retry`)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    const error = { code: 'media_timeout', message: 'The media server fell silent.', retryable: true };
    gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED, error }));
    expect((await gateway.call('GET', `/transcriptions/${jobId}`)).body).toMatchObject({ status: 'failed', error });
    expect(await gateway.call('POST', `/transcriptions/${jobId}/retry`)).toMatchObject({ status: 202, body: { status: 'queued' } });
  });

  it('are gone after their deletion, of which there is a receipt', async () => {
    const jobId = await gateway.submit();
    const deleted = await gateway.call<{ erasure_id: string }>('DELETE', `/transcriptions/${jobId}`);
    expect(deleted.status).toBe(202);
    expect((await gateway.call('GET', `/transcriptions/${jobId}`)).status).toBe(404);
    const receipt = await gateway.call('GET', `/erasures/${deleted.body.erasure_id}`);
    expect(receipt.body).toMatchObject({ job_id: jobId, status: 'pending', items: [{ what: 'media', where: 'ingest', count: 3 }], jws: 'a.b.c' });
    const keys = await fetch(`${gateway.url}/.well-known/jwks.json`);
    expect([keys.headers.get('content-type'), await keys.json()]).toEqual(['application/jwk-set+json', { keys: [{ kty: 'OKP', kid: 'one' }] }]);
  });

  it('publishes the keys that recordings may be encrypted to, without a key of the API', async () => {
    const answer = await fetch(`${gateway.url}/api/v1/media-keys`);
    expect([answer.status, await answer.json()]).toEqual([200, { data: [{ id: 'mk_1', recipient: 'age1one', created_at: '2026-11-27T08:00:00.000Z' }] }]);
  });

  const breakOff = (jobId: string, segments: number) => {
    const page = Array.from({ length: segments }, (_, index) => transcripts.Segment.fromPartial({ segmentId: `seg_${index}`, text: 'and so on' }));
    gateway.services.transcripts.set(jobId, { header: transcription.TranscriptHeader.fromPartial({ language: 'en' }), pages: [page], breaksOff: true });
  };

  it('are refused as a whole when their short transcript breaks off', async () => {
    const jobId = await gateway.submit();
    complete(jobId);
    breakOff(jobId, 2);
    expect(await gateway.call('GET', `/transcriptions/${jobId}`)).toMatchObject({ status: 500, body: { code: 'internal' } });
  });

  it('are cut off, not closed, when their long transcript breaks off: nobody takes half for the whole', async () => {
    const jobId = await gateway.submit();
    complete(jobId);
    breakOff(jobId, 2000);
    await expect(gateway.call('GET', `/transcriptions/${jobId}`)).rejects.toThrow();
  });
});
