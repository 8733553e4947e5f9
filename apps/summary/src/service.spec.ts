import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, events, ingest, summary, type EventData, type EventType } from '@parlance/contracts';
import { eventually, LanguageModelServer } from '@parlance/testing';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { TranscriptsAndJobs } from '../test/transcripts-and-jobs.js';
import { manifest } from './service.js';
import { SummaryConsumers } from './summary.consumers.js';
import { SummaryStages } from './work/summary-stages.js';
import { WorkStages } from './work/work-stages.js';

const { STAGE_CHAPTERS, STAGE_DIARIZATION, STAGE_ENTITIES, STAGE_HIGHLIGHTS, STAGE_SUMMARY } = common.Stage;
const { STAGE_STATUS_COMPLETED, STAGE_STATUS_FAILED, STAGE_STATUS_RUNNING, STAGE_STATUS_SKIPPED } = common.StageStatus;

const MEETING = [
  'Ann: Good morning, we are here to talk about the budget of the new library.',
  'Bob: The budget of the library is two million, and the roof alone costs half of it.',
  'Ann: We decided to build the roof of the library in spring.',
  'Bob: I will send the plan of the roof to the city by next Friday.',
  'Ann: The weather was nice yesterday.',
];
const both = { summary: { enabled: true }, highlights: true };

describe('the summary service', () => {
  let others: TranscriptsAndJobs;
  let service: ServiceHarness;
  beforeAll(async () => {
    others = await TranscriptsAndJobs.start();
    service = await ServiceHarness.start(manifest, others.env);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await others[Symbol.asyncDispose]();
  });

  const client = () => service.process.connect('summary', summary.SummaryServiceDefinition);
  const key = (jobId: string, run = 1) => ({ jobId, accountId: 'acc_1', run });
  const completed = (jobId: string, options: object = both, run = 1) =>
    service.publish({ type: 'transcript.completed', data: events.TranscriptCompleted.fromPartial({ ...key(jobId, run), options: common.JobOptions.fromPartial(options) }) });
  const told = <K extends EventType>(type: K, jobId: string) =>
    service.heard.filter((event) => event.type === type && (event.data as { jobId: string }).jobId === jobId).map(({ data }) => data as EventData<K>);
  /** By this service: the test speaks for diarization. */
  const finished = (jobId: string) => told('stage.finished', jobId).filter(({ stage }) => stage !== STAGE_DIARIZATION);
  const finishedStages = (jobId: string, count: number) =>
    eventually(`${count} finished stages of ${jobId}`, () => finished(jobId).length >= count);
  const summaryOf = async (jobId: string, summaryId?: string) => (await client().getSummary({ jobId, accountId: 'acc_1', summaryId })).summary;

  it('reads the topics and types that its README lists, as one group', () => {
    const none = {} as never;
    const declared = new WorkStages(none, { info: {} } as never, none, none, none, none, none);
    const consumers = new SummaryConsumers(new SummaryStages(declared, none, none, none, none, none), none, none, none, none).consumers();
    expect(consumers.map(({ group, topic, handlers }) => [group, topic, Object.keys(handlers)])).toEqual([
      ['summary', 'parlance.transcripts.v1', ['transcript.speakers_changed', 'transcript.completed']],
      ['summary', 'parlance.stages.v1', ['summary.requested', 'stage.finished', 'stage.requested']],
      ['summary', 'parlance.jobs.v1', ['job.canceled', 'job.failed', 'job.content_erased', 'job.deleted']],
    ]);
  });

  it('says over gRPC which engine it has', async () => {
    const { engine } = await client().getEngine({});
    expect(engine).toMatchObject({ name: 'extractive', languages: ['en'], available: true });
  });

  it('summarises a transcript, once however often it is told of it', async () => {
    others.add('job_1', MEETING);
    await service.republish(await completed('job_1'));
    await finishedStages('job_1', 2);
    const made = await summaryOf('job_1');
    expect(made).toMatchObject({ status: 'WORK_STATUS_COMPLETED', summaryId: 'sum_1', format: 'brief', language: 'en', engine: 'extractive', isDefault: true });
    expect(made?.text).toContain('library');
    await completed('job_1', both, 2);
    await finishedStages('job_1', 4);
    expect(finished('job_1').map(({ run, stage, status }) => [run, stage, status]).toSorted()).toEqual([
      [1, STAGE_HIGHLIGHTS, STAGE_STATUS_COMPLETED],
      [1, STAGE_SUMMARY, STAGE_STATUS_COMPLETED],
      [2, STAGE_HIGHLIGHTS, STAGE_STATUS_COMPLETED],
      [2, STAGE_SUMMARY, STAGE_STATUS_COMPLETED],
    ]);
    expect((await summaryOf('job_1'))?.completedAt).toEqual(made?.completedAt);
  });

  it('skips a recording in which nothing is said, and makes what it can of one word', async () => {
    others.add('job_empty', []);
    others.add('job_word', ['Hello.']);
    await completed('job_empty');
    await completed('job_word');
    await finishedStages('job_empty', 2);
    await finishedStages('job_word', 2);
    for (const { status, error } of finished('job_empty')) expect([status, error?.code]).toEqual([STAGE_STATUS_SKIPPED, 'transcript_empty']);
    expect((await summaryOf('job_word'))?.text).toBe('Hello.');
  });

  it('waits for who speaks, in whichever order the two are told', async () => {
    const waiting = [common.StageState.fromPartial({ stage: STAGE_DIARIZATION, status: STAGE_STATUS_RUNNING }), common.StageState.fromPartial({ stage: STAGE_SUMMARY, status: common.StageStatus.STAGE_STATUS_PENDING })];
    const options = { diarization: { enabled: true }, summary: { enabled: true } };
    for (const jobId of ['job_words_first', 'job_speakers_first', 'job_nobody_found']) others.add(jobId, MEETING, { stages: waiting, options: common.JobOptions.fromPartial(options) });
    const speakersFound = (jobId: string, status = STAGE_STATUS_COMPLETED) => service.publish({ type: 'stage.finished', data: events.StageEvent.fromPartial({ ...key(jobId), stage: STAGE_DIARIZATION, status }) });
    await speakersFound('job_speakers_first');
    await completed('job_speakers_first', options);
    await completed('job_words_first', options);
    await finishedStages('job_speakers_first', 1);
    expect(finished('job_words_first')).toEqual([]);
    await speakersFound('job_words_first');
    await finishedStages('job_words_first', 1);
    await completed('job_nobody_found', options);
    await speakersFound('job_nobody_found', STAGE_STATUS_FAILED);
    await finishedStages('job_nobody_found', 1);
  });

  it('writes further summaries without telling the job, and lists them', async () => {
    const order = { jobId: 'job_1', accountId: 'acc_1', summaryId: 'sum_further', format: 'bullets', template: undefined, instructions: undefined, language: undefined };
    const { summary: accepted } = await client().createSummary(order);
    expect(accepted).toMatchObject({ status: 'WORK_STATUS_PENDING', isDefault: false });
    await client().createSummary(order);
    await eventually('the summary', async () => (await summaryOf('job_1', 'sum_further'))?.status === 'WORK_STATUS_COMPLETED');
    const page = await client().listSummaries({ jobId: 'job_1', accountId: 'acc_1', limit: 10, cursor: undefined });
    expect(page.summaries.map(({ summaryId }) => summaryId)).toEqual(['sum_further', 'sum_1']);
    await client().createSummary({ ...order, summaryId: 'sum_unwanted' });
    await eventually('the unwanted summary', async () => (await summaryOf('job_1', 'sum_unwanted'))?.status === 'WORK_STATUS_COMPLETED');
    await expect(client().deleteSummary({ jobId: 'job_1', accountId: 'acc_2', summaryId: 'sum_unwanted' })).rejects.toMatchObject({ kind: 'not_found' });
    await client().deleteSummary({ jobId: 'job_1', accountId: 'acc_1', summaryId: 'sum_unwanted' });
    await expect(client().getSummary({ jobId: 'job_1', accountId: 'acc_1', summaryId: 'sum_unwanted' })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(client().createSummary({ ...order, jobId: 'job_none', summaryId: 'sum_none' })).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('shows the names that speakers have now, and one speaker for two that were merged', async () => {
    others.add('job_named', MEETING);
    await completed('job_named', { summary: { enabled: true }, highlights: true });
    await finishedStages('job_named', 2);
    const highlightsOf = async () => (await client().getHighlights({ jobId: 'job_named', accountId: 'acc_1' })).highlights;
    expect((await summaryOf('job_named'))?.actionItems).toMatchObject([{ owner: 'Bob', due: '2026-11-27' }]);
    const { header } = others.transcripts.get('job_named')!;
    header.speakers = header.speakers.map((speaker) => ({ ...speaker, name: speaker.name === 'Bob' ? 'Robert' : speaker.name }));
    expect((await summaryOf('job_named'))?.actionItems).toMatchObject([{ owner: 'Robert' }]);
    expect((await highlightsOf())?.sentiment?.bySpeaker.map(({ speaker }) => speaker).toSorted()).toEqual(['Ann', 'Robert']);
    others.merge('job_named', 'S_Bob', 'S_Ann');
    expect((await highlightsOf())?.sentiment?.bySpeaker.map(({ speaker }) => speaker)).toEqual(['Ann']);
    expect((await summaryOf('job_named'))?.actionItems).toMatchObject([{ owner: 'Ann' }]);
  });

  it('knows nobody by an id that was merged, or a segment that was split, while it was at work', async () => {
    others.add('job_busy', MEETING);
    const said = 'I will send the plan of the roof to the city by next Friday.';
    others.afterRead = (jobId) => {
      if (jobId !== 'job_busy') return;
      others.afterRead = () => undefined;
      others.merge('job_busy', 'S_Bob', 'S_Ann');
      others.split('job_busy', 3, ['Well,', said]);
    };
    await completed('job_busy', { summary: { enabled: true } });
    await finishedStages('job_busy', 1);
    await eventually('the new place', async () => (await summaryOf('job_busy'))?.actionItems[0]?.evidence[0]?.segmentId === 'seg_000004_2');
    const made = await summaryOf('job_busy');
    expect(made?.actionItems).toMatchObject([{ owner: 'Ann' }]);
    expect(JSON.stringify(made)).not.toContain('S_Bob');
  });

  it('finds entities at their words when that is asked for, moves them with their words, and erases them with the recording', async () => {
    others.add('job_entities', [...MEETING, 'Bob: Yes and I also pay five hundred dollars tomorrow']);
    await completed('job_entities', { entities: true });
    await finishedStages('job_entities', 1);
    expect(finished('job_entities')).toMatchObject([{ stage: STAGE_ENTITIES, status: STAGE_STATUS_COMPLETED, engine: 'extractive' }]);
    const ref = { jobId: 'job_entities', accountId: 'acc_1' };
    const entities = async () => (await client().getEntities(ref)).entities;
    expect(await entities()).toMatchObject({ status: 'WORK_STATUS_COMPLETED', method: 'rules', revision: 0, stale: false });
    const money = { type: 'money', text: 'five hundred dollars', normalized: 'USD 500', start: 25.5, end: 25.8, method: 'rules' };
    const found = async () => (await entities())?.entities.filter(({ segmentId }) => segmentId.startsWith('seg_000006'));
    expect(await found()).toEqual([
      { ...money, segmentId: 'seg_000006', wordIds: ['6.6', '6.7', '6.8'], speakerId: 'S_Bob' },
      { type: 'date', text: 'tomorrow', normalized: '2026-11-19', start: 25.8, end: 25.9, segmentId: 'seg_000006', wordIds: ['6.9'], speakerId: 'S_Bob', method: 'rules' },
    ]);
    others.split('job_entities', 5, ['Yes and I also pay?', 'Five hundred dollars tomorrow']);
    others.merge('job_entities', 'S_Bob', 'S_Ann');
    await service.publish({ type: 'transcript.speakers_changed', data: { ...ref, change: events.SpeakersChange.SPEAKERS_CHANGE_FOUND } as EventData<'transcript.speakers_changed'> });
    await eventually('the entities at their new place', async () => (await found())?.[0]?.segmentId === 'seg_000006_2');
    expect((await found())?.[0]).toEqual({ ...money, text: 'Five hundred dollars', segmentId: 'seg_000006_2', wordIds: ['6_2.1', '6_2.2', '6_2.3'], speakerId: 'S_Ann' });
    await expect(client().getEntities({ ...ref, accountId: 'acc_2' })).rejects.toMatchObject({ kind: 'not_found' });
    await service.publish({ type: 'job.deleted', data: events.JobEvent.fromPartial({ ...ref, erasureId: 'era_entities' }) });
    await eventually('the report', () => told('erasure.reported', 'job_entities').length === 1);
    expect(told('erasure.reported', 'job_entities')).toMatchObject([{ what: 'summaries', count: 1 }]);
    await expect(client().getEntities(ref)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('divides a recording into chapters when that is asked for, and erases them with it', async () => {
    others.add('job_chapters', MEETING);
    await completed('job_chapters', { chapters: true });
    await finishedStages('job_chapters', 1);
    expect(finished('job_chapters')).toMatchObject([{ stage: STAGE_CHAPTERS, status: STAGE_STATUS_COMPLETED, engine: 'extractive' }]);
    const ref = { jobId: 'job_chapters', accountId: 'acc_1' };
    const { chapters } = await client().getChapters(ref);
    expect(chapters).toMatchObject({ status: 'WORK_STATUS_COMPLETED', engine: 'extractive', chapters: [{ start: 0, end: 24 }] });
    await expect(client().getChapters({ ...ref, accountId: 'acc_2' })).rejects.toMatchObject({ kind: 'not_found' });
    await service.publish({ type: 'job.deleted', data: events.JobEvent.fromPartial({ ...ref, erasureId: 'era_chapters' }) });
    await eventually('the report', () => told('erasure.reported', 'job_chapters').length === 1);
    expect(told('erasure.reported', 'job_chapters')).toMatchObject([{ what: 'summaries', count: 1 }]);
    await expect(client().getChapters(ref)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('refuses to translate, which its built-in engine does not', async () => {
    await expect(client().createTranslation({ jobId: 'job_named', accountId: 'acc_1', language: 'de' })).rejects.toMatchObject({ code: 'translation_unsupported' });
  });

  it('points to where the words are after segments were split', async () => {
    const half = 'I will send the plan of the roof to the city by next Friday.';
    others.split('job_named', 3, ['Well,', half]);
    const change = { jobId: 'job_named', accountId: 'acc_1', version: 3, change: events.SpeakersChange.SPEAKERS_CHANGE_FOUND };
    await service.publish({ type: 'transcript.speakers_changed', data: events.TranscriptSpeakersChanged.fromPartial(change) });
    await eventually('the new place', async () => (await summaryOf('job_named'))?.actionItems[0]?.evidence[0]?.segmentId === 'seg_000004_2');
    expect((await summaryOf('job_named'))?.actionItems[0]?.evidence).toEqual([{ segmentId: 'seg_000004_2', start: 15.5, end: 19, quote: half }]);
  });

  it('shows nothing to another account', async () => {
    const foreign = { jobId: 'job_1', accountId: 'acc_2', summaryId: undefined };
    await expect(client().getSummary(foreign)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(client().getHighlights(foreign)).rejects.toMatchObject({ kind: 'not_found' });
    expect((await client().listSummaries({ ...foreign, limit: 10, cursor: undefined })).summaries).toEqual([]);
  });

  it('does again what a retry asks for', async () => {
    others.add('job_retried', MEETING);
    await service.publish({ type: 'stage.requested', data: events.StageRequested.fromPartial({ ...key('job_retried', 2), stage: STAGE_SUMMARY }) });
    await finishedStages('job_retried', 1);
    expect(finished('job_retried')).toMatchObject([{ run: 2, stage: STAGE_SUMMARY, status: STAGE_STATUS_COMPLETED }]);
  });

  it('makes again what a further run asks for when the transcript was edited since, and keeps it otherwise', async () => {
    others.add('job_edited', MEETING);
    await completed('job_edited');
    await finishedStages('job_edited', 2);
    const job = others.jobs.get('job_edited')!;
    job.options = common.JobOptions.fromPartial({ summary: { enabled: true, format: 'bullets' } });
    const request = (run: number) => service.publish({ type: 'stage.requested', data: events.StageRequested.fromPartial({ ...key('job_edited', run), stage: STAGE_SUMMARY }) });
    await request(2);
    await finishedStages('job_edited', 3);
    expect(await summaryOf('job_edited')).toMatchObject({ format: 'brief', revision: 0, stale: false });
    others.edit('job_edited', 2, 'We decided to build the roof of the museum in autumn.');
    expect(await summaryOf('job_edited')).toMatchObject({ format: 'brief', revision: 0, stale: true });
    await request(3);
    await finishedStages('job_edited', 4);
    expect(await summaryOf('job_edited')).toMatchObject({ format: 'bullets', revision: 1, stale: false, text: expect.stringContaining('museum') });
  });

  it('writes what is asked for of a canceled job that has a transcript', async () => {
    others.add('job_canceled', MEETING);
    others.jobs.set('job_canceled', { ...others.jobs.get('job_canceled')!, status: common.JobStatus.JOB_STATUS_CANCELED });
    await service.publish({ type: 'job.canceled', data: events.JobEvent.fromPartial(key('job_canceled')) });
    const order = { jobId: 'job_canceled', accountId: 'acc_1', summaryId: 'sum_canceled', format: 'brief', template: undefined, instructions: undefined, language: undefined };
    await client().createSummary(order);
    await eventually('the summary', async () => (await summaryOf('job_canceled', 'sum_canceled'))?.status === 'WORK_STATUS_COMPLETED');
  });

  it('does not promise a transcript of a job that has ended without one', async () => {
    const order = { jobId: 'job_bare', accountId: 'acc_1', summaryId: 'sum_bare', format: 'brief', template: undefined, instructions: undefined, language: undefined };
    const { JOB_STATUS_PROCESSING, JOB_STATUS_FAILED } = common.JobStatus;
    const refusals = { [JOB_STATUS_PROCESSING]: 'The job has no transcript to summarise yet.', [JOB_STATUS_FAILED]: 'The job ended without a transcript to summarise.' };
    for (const [status, message] of Object.entries(refusals)) {
      others.jobs.set('job_bare', ingest.Job.fromPartial({ jobId: 'job_bare', accountId: 'acc_1', status: status as common.JobStatus }));
      await expect(client().createSummary(order)).rejects.toMatchObject({ code: 'invalid_state', message });
    }
  });

  it('erases all of a deleted job, reports it, and makes nothing of it any more', async () => {
    await service.publish({ type: 'job.deleted', data: events.JobEvent.fromPartial({ jobId: 'job_1', accountId: 'acc_1', erasureId: 'era_1' }) });
    await eventually('the report', () => told('erasure.reported', 'job_1').length === 1);
    expect(told('erasure.reported', 'job_1')).toMatchObject([{ erasureId: 'era_1', what: 'summaries', where: 'summary', count: 3 }]);
    const before = finished('job_1').length;
    await completed('job_1', both, 3);
    others.add('job_after', ['Hello.']);
    await completed('job_after');
    await finishedStages('job_after', 2);
    expect(finished('job_1')).toHaveLength(before);
    await expect(summaryOf('job_1')).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('the summary service with a model that gives nothing usable', () => {
  it('tells that its stages failed, and leaves no dead letter of it', async () => {
    await using model = await LanguageModelServer.start();
    await using others = await TranscriptsAndJobs.start();
    await using service = await ServiceHarness.start(manifest, { ...others.env, LANGUAGE_MODEL_URL: model.url(), SUMMARY_MAX_ATTEMPTS: '1' });
    model.answer = () => 'I would rather not.';
    others.add('job_1', MEETING);
    const failed = (run: number) => service.heard.filter(({ type, data }) => type === 'stage.finished' && (data as events.StageEvent).run === run && (data as events.StageEvent).status === STAGE_STATUS_FAILED);
    // The second is begun when the first is done with.
    for (const run of [1, 2]) {
      await service.publish({ type: 'transcript.completed', data: events.TranscriptCompleted.fromPartial({ jobId: 'job_1', accountId: 'acc_1', run, options: common.JobOptions.fromPartial(both) }) });
      await eventually(`both stages of run ${run} to fail`, () => failed(run).length === 2);
    }
    expect(await service.bus.deadLetters.list()).toEqual([]);
  });
});

describe('the summary service with a model that translates', () => {
  const ref = { jobId: 'job_1', accountId: 'acc_1', language: 'de' };
  const spoken = Array.from({ length: 100 }, (_, index) => `Ann: Point ${index} is about the harbour.`);
  let others: TranscriptsAndJobs;
  let model: LanguageModelServer;
  let service: ServiceHarness;
  const client = () => service.process.connect('summary', summary.SummaryServiceDefinition);
  const asked = () => model.asked.map(({ system }) => /segments (\d+) to/u.exec(system)?.[1]).toSorted();
  const completed = () => eventually('the translation', async () => (await client().getTranslation(ref)).translation?.status === 'WORK_STATUS_COMPLETED');
  const texts = async () => {
    const read: string[] = [];
    for await (const { segments } of client().readTranslation(ref)) read.push(...segments.map(({ segmentId, text }) => `${segmentId} ${text}`));
    return read;
  };
  const translated = (system: string) => {
    const [, first, last] = /segments (\d+) to (\d+)/u.exec(system) ?? [];
    return { segments: Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => ({ number: Number(first) + index, text: `Punkt ${Number(first) + index}` })) };
  };

  beforeAll(async () => {
    [model, others] = await Promise.all([LanguageModelServer.start(), TranscriptsAndJobs.start()]);
    service = await ServiceHarness.start(manifest, { ...others.env, LANGUAGE_MODEL_URL: model.url() });
    others.add('job_1', spoken);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await Promise.all([others[Symbol.asyncDispose](), model[Symbol.asyncDispose]()]);
  });

  it('keeps what was translated when a later batch fails, and asks for that one alone again', async () => {
    let faults = 1;
    model.answer = ({ system }) => (/segments 40 to/u.test(system) && faults-- > 0 ? { status: 503 } : translated(system));
    expect((await client().createTranslation(ref)).translation).toMatchObject({ status: 'WORK_STATUS_PENDING', language: 'de' });
    await completed();
    expect(asked()).toEqual(['0', '40', '40', '80']);
    expect((await client().getTranslation(ref)).translation).toMatchObject({ segmentsTotal: 100, segmentsDone: 100, engine: 'openai:test-model', outdated: false, usage: { inputTokens: 300 } });
    expect(await texts()).toEqual(spoken.map((_, index) => `seg_${String(index + 1).padStart(6, '0')} Punkt ${index}`));
  });

  it('makes it once however often it is ordered, and after a change only what changed', async () => {
    model.asked.length = 0;
    expect((await client().createTranslation(ref)).translation?.status).toBe('WORK_STATUS_COMPLETED');
    const { segments, header } = others.transcripts.get('job_1')!;
    segments[50] = { ...segments[50]!, text: 'Point 50 is about the pier.' };
    header.version++;
    expect((await client().getTranslation(ref)).translation?.outdated).toBe(true);
    await client().createTranslation(ref);
    await completed();
    expect(asked()).toEqual(['40']);
    expect((await client().getTranslation(ref)).translation?.outdated).toBe(false);
  });

  it('waits for who speaks, shows nothing to another account, and erases it with the job', async () => {
    const open = [common.StageState.fromPartial({ stage: STAGE_DIARIZATION, status: STAGE_STATUS_RUNNING })];
    others.add('job_open', spoken, { stages: open });
    await expect(client().createTranslation({ ...ref, jobId: 'job_open' })).rejects.toMatchObject({ code: 'invalid_state', retryable: true });
    await expect(client().getTranslation({ ...ref, accountId: 'acc_2' })).rejects.toMatchObject({ kind: 'not_found' });
    await service.publish({ type: 'job.deleted', data: events.JobEvent.fromPartial({ jobId: 'job_1', accountId: 'acc_1', erasureId: 'era_1' }) });
    await eventually('the report', () => service.heard.some(({ type }) => type === 'erasure.reported'));
    await expect(client().getTranslation(ref)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(client().createTranslation(ref)).rejects.toMatchObject({ kind: 'not_found' });
  });
});
