import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, events, summary } from '@parlance/contracts';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';

const evidence = [{ segmentId: 'seg_000002', start: 5, end: 9, quote: 'by next Friday' }];
const evidenceJson = [{ segment_id: 'seg_000002', start: 5, end: 9, quote: 'by next Friday' }];

describe('summaries and highlights', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const path = (jobId: string, rest: string) => `/transcriptions/${jobId}/${rest}`;
  const get = (jobId: string, rest: string) => gateway.call<Record<string, unknown>>('GET', path(jobId, rest));

  it('are given with their evidence once they are made', async () => {
    const jobId = await gateway.submit();
    gateway.services.summaries.set(
      jobId,
      summary.Summary.fromPartial({
        summaryId: 'sum_1', jobId, status: summary.WorkStatus.WORK_STATUS_COMPLETED, isDefault: true, createdAt: new Date(0), completedAt: new Date(1), format: 'brief', language: 'en',
        text: 'The plan.', actionItems: [{ text: 'Send it', owner: 'Ann', due: '2026-11-27', dueText: 'by next Friday', evidence }], keyDecisions: [{ text: 'Yes', evidence }], engine: 'extractive', droppedItems: 2,
      }),
    );
    expect((await get(jobId, 'summary')).body).toEqual({
      summary_id: 'sum_1', job_id: jobId, status: 'completed', default: true, created_at: '1970-01-01T00:00:00.000Z', completed_at: '1970-01-01T00:00:00.001Z', format: 'brief', language: 'en', text: 'The plan.',
      action_items: [{ text: 'Send it', owner: 'Ann', due: '2026-11-27', due_text: 'by next Friday', evidence: evidenceJson }],
      key_decisions: [{ text: 'Yes', evidence: evidenceJson }], insights: [], engine: 'extractive', dropped_items: 2, warnings: [],
    });
    const mood = { score: 0.5, label: 'positive', evidence };
    gateway.services.highlights.set(
      jobId,
      summary.Highlights.fromPartial({
        jobId, status: summary.WorkStatus.WORK_STATUS_COMPLETED, language: 'en', engine: 'extractive', topics: [{ name: 'plan', keyphrases: ['plan'], ranges: [{ start: 0, end: 9 }], evidence }],
        quotes: [{ text: 'by next Friday', speakerId: 'S1', speaker: 'Ann', start: 5, end: 9, evidence }], sentiment: { overall: mood, bySpeaker: [{ speakerId: 'S1', speaker: 'Ann', mood }], timeline: [{ start: 0, end: 30, mood }] },
      }),
    );
    const moodJson = { score: 0.5, label: 'positive', evidence: evidenceJson };
    expect((await get(jobId, 'highlights')).body).toEqual({
      job_id: jobId, key_moments: [], insights: [], language: 'en', engine: 'extractive', dropped_items: 0, warnings: [],
      quotes: [{ text: 'by next Friday', speaker_id: 'S1', speaker: 'Ann', start: 5, end: 9, evidence: evidenceJson }],
      topics: [{ name: 'plan', keyphrases: ['plan'], ranges: [{ start: 0, end: 9 }], evidence: evidenceJson }],
      sentiment: { overall: moodJson, by_speaker: [{ speaker_id: 'S1', speaker: 'Ann', ...moodJson }], timeline: [{ start: 0, end: 30, ...moodJson }] },
    });
  });

  it('have chapters, also as a WebVTT file', async () => {
    const jobId = await gateway.submit();
    expect(await get(jobId, 'chapters')).toMatchObject({ status: 409, body: { code: 'invalid_state', detail: 'The job ended without chapters.' } });
    gateway.services.chapters.set(jobId, summary.Chapters.fromPartial({ jobId, status: summary.WorkStatus.WORK_STATUS_COMPLETED, language: 'en', engine: 'extractive', chapters: [{ start: 0, end: 61, headline: 'The plan', gist: 'It is sent.', evidence }] }));
    expect((await get(jobId, 'chapters')).body).toEqual({
      job_id: jobId, language: 'en', engine: 'extractive', dropped_items: 0, warnings: [],
      chapters: [{ start: 0, end: 61, headline: 'The plan', gist: 'It is sent.', evidence: evidenceJson }],
    });
    const file = await gateway.fetch(`/api/v1${path(jobId, 'export/chapters.vtt')}`);
    expect([file.status, file.headers.get('content-disposition')]).toEqual([200, expect.stringContaining(`filename="${jobId}.chapters.vtt"`)]);
    expect(await file.text()).toBe('WEBVTT\n\n1\n00:00:00.000 --> 00:01:01.000\nThe plan\n');
    const etag = file.headers.get('etag') ?? '';
    expect((await gateway.fetch(`/api/v1${path(jobId, 'export/chapters.vtt')}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('have entities', async () => {
    const jobId = await gateway.submit();
    expect(await get(jobId, 'entities')).toMatchObject({ status: 409, body: { code: 'invalid_state', detail: 'The job ended without entities.' } });
    const money = { type: 'money', text: 'five dollars', normalized: 'USD 5', start: 1, end: 2, segmentId: 'seg_000001', wordIds: ['1.1', '1.2'], speakerId: 'S1', method: 'rules' };
    gateway.services.entities.set(jobId, summary.Entities.fromPartial({ jobId, status: summary.WorkStatus.WORK_STATUS_COMPLETED, language: 'en', engine: 'extractive', method: 'rules', revision: 0, stale: true, entities: [money] }));
    expect((await get(jobId, 'entities')).body).toEqual({
      job_id: jobId, language: 'en', engine: 'extractive', method: 'rules', dropped_items: 0, warnings: [], revision: 0, stale: true,
      entities: [{ type: 'money', text: 'five dollars', normalized: 'USD 5', start: 1, end: 2, segment_id: 'seg_000001', word_ids: ['1.1', '1.2'], speaker_id: 'S1', method: 'rules' }],
    });
  });

  it('are told to be not ready, or why they will not be', async () => {
    const jobId = await gateway.submit();
    const stage = (status: common.StageStatus, message?: string) =>
      gateway.services.change(jobId, (job) => ({
        ...job,
        stages: [common.StageState.fromPartial({ stage: common.Stage.STAGE_SUMMARY, status, ...(message !== undefined && { error: { code: 'engine_failed', message, retryable: true } }) })],
      }));
    stage(common.StageStatus.STAGE_STATUS_RUNNING);
    expect(await get(jobId, 'summary')).toMatchObject({ status: 409, body: { code: 'invalid_state', retryable: true, detail: 'The summary is not ready yet.' } });
    stage(common.StageStatus.STAGE_STATUS_FAILED, 'The model is away.');
    expect(await get(jobId, 'summary')).toMatchObject({ status: 409, body: { code: 'invalid_state', retryable: false, detail: 'The job ended without a summary: The model is away.' } });
    expect((await get('job_unknown', 'summary')).status).toBe(404);
    expect((await get('job_unknown', 'highlights')).status).toBe(404);
  });

  it('are written further, as asked, and listed', async () => {
    const jobId = await gateway.submit();
    const created = await gateway.call<{ summary_id: string }>('POST', path(jobId, 'summaries'), { json: { template: '## Decisions', instructions: 'For the board', language: 'DE-de' } });
    const { summary_id: id } = created.body;
    const self = `/api/v1/transcriptions/${jobId}/summaries/${id}`;
    expect(created).toMatchObject({ status: 202, body: { summary_id: expect.stringMatching(/^sum_/), status: 'pending', links: { self } } });
    expect(created.headers.get('location')).toBe(self);
    expect(gateway.services.ordered.at(-1)).toMatchObject({ jobId, summaryId: id, template: '## Decisions', instructions: 'For the board', language: 'de-DE' });
    expect((await get(jobId, `summaries/${id}`)).body).toMatchObject({ summary_id: id, status: 'pending' });
    expect((await get(jobId, 'summaries')).body).toMatchObject({ data: [{ summary_id: id }], next_cursor: null });
    expect((await get(jobId, 'summaries/sum_unknown')).status).toBe(404);
    expect((await gateway.call('POST', path(jobId, 'summaries'))).status).toBe(202);
    expect((await gateway.call('DELETE', path(jobId, `summaries/${id}`))).status).toBe(204);
    expect((await get(jobId, `summaries/${id}`)).status).toBe(404);
  });

  it('that are being written can be waited for', async () => {
    const jobId = await gateway.submit();
    const { body: created } = await gateway.call<{ summary_id: string }>('POST', path(jobId, 'summaries'), { json: {} });
    const one = `summaries/${created.summary_id}`;
    const etag = (await get(jobId, one)).headers.get('etag') ?? '';
    const waiting = gateway.call('GET', path(jobId, `${one}?wait=60`), { headers: { 'if-none-match': etag } });
    await eventually('the call to wait', async () => /parlance_job_watches 1/.test(await (await fetch(`${gateway.url}/metrics`)).text()));
    gateway.services.furtherSummaries.splice(0, 1, summary.Summary.fromPartial({ summaryId: created.summary_id, jobId, status: summary.WorkStatus.WORK_STATUS_FAILED }));
    await gateway.process.publish({ type: 'job.summary_failed', data: events.JobEvent.fromPartial({ jobId, accountId: gateway.accountId }) });
    expect(await waiting).toMatchObject({ status: 200, body: { status: 'failed' } });
    expect(await get(jobId, `${one}?wait=60`)).toMatchObject({ status: 200, body: { status: 'failed' } });
    expect((await gateway.call('GET', path(jobId, `${one}?wait=60`), { headers: { 'if-none-match': etag } })).status).toBe(200);
    expect((await get(jobId, `${one}?wait=61`)).status).toBe(422);
  });

  it.each([
    [{ format: 'custom' }, '/template', 'required'],
    [{ template: 'no section here' }, '/template', 'invalid_value'],
    [{ template: `## A\n${'x'.repeat(100_000)}` }, '/template', 'too_long'],
    [{ template: '## A\n\n## A' }, '/template', 'invalid_value'],
    [{ template: '## A\n'.repeat(41) }, '/template', 'invalid_value'],
    [{ template: '## A', format: 'brief' }, '/format', 'invalid_value'],
    [{ format: 'novel' }, '/format', 'invalid_value'],
    [{ instructions: '' }, '/instructions', 'too_short'],
    [{ lenght: 3 }, '/lenght', 'unknown_field'],
  ])('are not written by %j', async (json, pointer, code) => {
    const jobId = await gateway.submit();
    const refused = await gateway.call('POST', path(jobId, 'summaries'), { json });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
  });

  it('are asked of a job in the same way', async () => {
    const refused = await gateway.call('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3', summary: { template: 'x'.repeat(100_000) } } });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/summary/template', code: 'too_long' }] } });
    await gateway.submit({ summary: { template: '## Decisions' } });
    expect(gateway.services.created.at(-1)?.options?.summary).toMatchObject({ enabled: true, template: '## Decisions' });
  });

  it('belong to their account', async () => {
    const jobId = await gateway.submit();
    const { apiKey } = await gateway.createAccount();
    for (const [method, rest] of [['GET', 'summary'], ['GET', 'summaries'], ['POST', 'summaries'], ['GET', 'summaries/sum_1'], ['GET', 'highlights']] as const) {
      const answer = await gateway.call(method, path(jobId, rest), { headers: { authorization: `Bearer ${apiKey}` } });
      expect({ rest, status: answer.status }).toEqual({ rest, status: 404 });
    }
  });
});
