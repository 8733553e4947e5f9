import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, type ingest } from '@parlance/contracts';
import { SERVICE_NAMES } from '@parlance/runtime';
import { answers, eventually, saysNothing, SAMPLES } from '@parlance/testing';
import type { ChunkPlan } from '@parlance/transcript';
import { ACCOUNT, IngestHarness, resultOf } from './ingest-harness.js';

const { JOB_STATUS_CANCELED, JOB_STATUS_COMPLETED, JOB_STATUS_FAILED, JOB_STATUS_PROCESSING, JOB_STATUS_QUEUED } = common.JobStatus;
const { STAGE_DIARIZATION, STAGE_HIGHLIGHTS, STAGE_SEARCH, STAGE_SUMMARY } = common.Stage;
const { STAGE_STATUS_FAILED, STAGE_STATUS_SKIPPED } = common.StageStatus;
const FAILURE: common.Failure = { code: 'engine_failed', message: 'Chunk 1 of 6 could not be transcribed.', retryable: true };
const ADD_ONS = [STAGE_DIARIZATION, STAGE_SUMMARY, STAGE_HIGHLIGHTS, STAGE_SEARCH];

let harness: IngestHarness;
beforeAll(async () => void (harness = await IngestHarness.start({ JOBS_ACTIVE_PER_ACCOUNT: '2' })));
afterAll(() => harness[Symbol.asyncDispose]());

async function completed(jobId: string): Promise<void> {
  await harness.create(jobId, '/short.flac');
  await harness.transcribe(jobId);
  for (const stage of ADD_ONS) await harness.finishStage(jobId, stage);
  await harness.untilHeard('job.completed', jobId);
}

describe('a job by audio_url', () => {
  it('is fetched, cut, transcribed chunk by chunk, and completed once every stage has reported', async () => {
    const created = await harness.create('job_way', '/talk.mp3?token=secret');
    expect(created).toMatchObject({ status: JOB_STATUS_QUEUED, run: 1, version: 1 });
    expect((await harness.transcribe('job_way')).length).toBeGreaterThan(1);
    for (const stage of ADD_ONS) await harness.finishStage('job_way', stage);

    const job = await harness.until('job_way', JOB_STATUS_COMPLETED);
    expect(job).toMatchObject({ audioUrl: harness.mediaServer.url('/talk.mp3'), detectedLanguage: 'en', progress: { percent: 100 }, warnings: [] });
    expect(job.billedSeconds).toBe(job.media?.duration);
    const [usage] = await harness.untilHeard('usage.recorded', 'job_way');
    expect(usage).toMatchObject({ usageId: 'use_way_1', accountId: ACCOUNT, keyId: 'key_1', run: 1, milliseconds: Math.round((job.media?.duration ?? 0) * 1000), operation: 'transcription' });
    expect(job.media).toMatchObject({ codec: 'mp3', hasVideo: false });
    const types = ['job.created', 'job.started', 'job.transcript_ready', 'job.completed'];
    await eventually('the last event', () => harness.announced('job_way').length === types.length);
    expect(harness.announced('job_way')).toEqual(types);
    expect(harness.heard('job.completed', 'job_way')[0]).toMatchObject({ sequence: 3, version: job.version });
  });

  it('is refused before it is sent where the plan of its account has no room', async () => {
    await harness.create('job_room', '/short.flac');
    await harness.requireRoom();
    await expect(harness.requireRoom({ jobsInFlight: 1 })).rejects.toMatchObject({ code: 'too_many_jobs', kind: 'rate_limited', retryAfter: 10 });
    await harness.cancel('job_room');
  });

  it('tells the speech engine in its plan what the caller asked of it', async () => {
    await harness.create('job_terms', '/short.flac', { language: 'en', vocabulary: ['Parlance'] });
    const planKey = `${ACCOUNT}/job_terms/plan.json`;
    const [ready] = await harness.untilHeard('media.ready', 'job_terms');
    expect(ready?.planKey).toBe(planKey);
    const plan = JSON.parse(await harness.storedText(planKey)) as ChunkPlan;
    expect(plan.options).toEqual({ language: 'en', vocabulary: ['Parlance'] });
    await harness.cancel('job_terms');
  });

  it('keeps its source, its peaks and its plan when it is completed, not the decoded audio', async () => {
    await completed('job_audio');
    const kept = await eventually('the audio to be removed', async () => {
      const keys = await harness.storedKeys(`${ACCOUNT}/job_audio/`);
      return !keys.some((key) => key.includes('/audio/')) && keys;
    });
    expect(kept).toEqual([`${ACCOUNT}/job_audio/peaks`, `${ACCOUNT}/job_audio/plan.json`, `${ACCOUNT}/job_audio/source`]);
    expect(await readdir(join(harness.service.dataFolder, 'scratch', 'ingest'))).toEqual([]);
  });

  it('fails with the reason when there is no media at the address', async () => {
    harness.mediaServer.at('/page', answers(200, '<html>', 'text/html'));
    await harness.create('job_page', '/page');
    const job = await harness.until('job_page', JOB_STATUS_FAILED);
    expect(job.error).toMatchObject({ code: 'media_unsupported', retryable: false });
    expect(job.stages.map(({ status }) => status)).toContain(common.StageStatus.STAGE_STATUS_CANCELED);
  });

  it('refuses an address inside the network', async () => {
    await harness.createRaw({ jobId: 'job_inside', accountId: ACCOUNT, source: { $case: 'audioUrl', value: 'http://10.0.0.1/talk.mp3' } });
    expect((await harness.until('job_inside', JOB_STATUS_FAILED)).error?.code).toBe('address_forbidden');
  });
});

describe('jobs made by one call', () => {
  it('are made once each, and one that cannot be made fails alone', async () => {
    const order = (jobId: string, accountId = ACCOUNT, path = '/short.flac'): ingest.JobOrder => ({
      job: { jobId, accountId, source: { $case: 'audioUrl', value: path && harness.mediaServer.url(path) } },
    });
    const foreign = order('job_batch_1', 'acc_other');
    const outcomes = await harness.createAll([order('job_batch_1'), order('job_batch_2', ACCOUNT, ''), foreign, order('job_batch_1'), order('job_batch_3'), {}]);
    expect(outcomes.map(({ outcome }) => (outcome?.$case === 'created' ? outcome.value.jobId : outcome?.value.code))).toEqual([
      'job_batch_1',
      'invalid_request',
      'not_found',
      'job_batch_1',
      'job_batch_3',
      'invalid_request',
    ]);
    for (const jobId of ['job_batch_1', 'job_batch_3']) {
      await harness.untilHeard('media.ready', jobId);
      // job.created is on another topic and may be delivered later.
      expect(await harness.untilHeard('job.created', jobId)).toHaveLength(1);
      await harness.cancel(jobId);
    }
    await expect(harness.get('job_batch_2')).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('an upload', () => {
  it('is taken from the media store', async () => {
    const mediaKey = `${ACCOUNT}/job_upload/source`;
    const { sizeBytes, sha256 } = await harness.media.put(mediaKey, createReadStream(SAMPLES.reading.path));
    await harness.create('job_upload', { $case: 'upload', value: { mediaKey, sizeBytes, sha256, fileName: 'talk.flac', uploadIds: [] } });
    await harness.transcribe('job_upload');
    expect(await harness.get('job_upload')).toMatchObject({ fileName: 'talk.flac', media: { codec: 'flac', sizeBytes, sha256 } });
  });

  it('must lie where the source of its own job belongs', async () => {
    const upload = { mediaKey: 'acc_2/job_theirs/source', sizeBytes: 1, sha256: '', uploadIds: [] };
    await expect(harness.create('job_thief', { $case: 'upload', value: upload })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('JobService', () => {
  it('makes one job of repeated calls', async () => {
    const [first, second] = await Promise.all([harness.create('job_twice'), harness.create('job_twice')]);
    expect(second.createdAt).toEqual(first.createdAt);
    await harness.untilHeard('job.started', 'job_twice');
    expect(harness.heard('job.created', 'job_twice')).toHaveLength(1);
    await harness.cancel('job_twice');
  });

  it('does not find jobs and receipts of other accounts', async () => {
    await harness.create('job_mine');
    await expect(harness.get('job_mine', 'acc_2')).rejects.toMatchObject({ kind: 'not_found' });
    const erasureId = await harness.delete('job_mine');
    await expect(harness.erasure(erasureId, 'acc_2')).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('lists newest first, by status, metadata and time, page by page', async () => {
    for (const nth of [1, 2, 3]) await harness.create(`job_list${nth}`, '/nothing', { metadata: { list: 'yes', nth: String(nth) } });
    const ids = async (request: Parameters<IngestHarness['list']>[0]) => (await harness.list(request)).jobs.map(({ jobId }) => jobId);
    expect(await ids({ metadata: { list: 'yes' } })).toEqual(['job_list3', 'job_list2', 'job_list1']);
    expect(await ids({ metadata: { list: 'yes', nth: '2' } })).toEqual(['job_list2']);
    const first = await harness.list({ metadata: { list: 'yes' }, limit: 2 });
    expect(await ids({ metadata: { list: 'yes' }, limit: 2, cursor: first.nextCursor })).toEqual(['job_list1']);
    for (const nth of [1, 2, 3]) await harness.until(`job_list${nth}`, JOB_STATUS_FAILED);
    expect(await ids({ metadata: { list: 'yes' }, status: JOB_STATUS_FAILED })).toHaveLength(3);
    expect(await ids({ metadata: { list: 'yes' }, status: JOB_STATUS_COMPLETED })).toEqual([]);
    const either = { metadata: { list: 'yes' }, statuses: [JOB_STATUS_FAILED, JOB_STATUS_CANCELED], limit: 2 };
    expect(await ids({ metadata: { list: 'yes' }, ascending: true })).toEqual(['job_list1', 'job_list2', 'job_list3']);
    for (const [ascending, order] of [[false, ['job_list3', 'job_list2', 'job_list1']], [true, ['job_list1', 'job_list2', 'job_list3']]] as const) {
      const page = await harness.list({ ...either, ascending });
      const next = await harness.list({ ...either, ascending, cursor: page.nextCursor });
      expect([...page.jobs, ...next.jobs].map(({ jobId }) => jobId)).toEqual(order);
      expect(next.nextCursor).toBeUndefined();
    }
    const second = await harness.get('job_list2');
    expect(await ids({ metadata: { list: 'yes' }, createdBefore: second.createdAt })).not.toContain('job_list2');
  });
});

describe('cancel', () => {
  it('stops what runs, gives the place to the next job, and bills what was decoded', async () => {
    harness.mediaServer.at('/stalls', saysNothing);
    for (const nth of [1, 2]) await harness.create(`job_stalls${nth}`, '/stalls');
    await harness.create('job_waits');
    await harness.untilHeard('job.started', 'job_stalls2');
    expect((await harness.get('job_waits')).status).toBe(JOB_STATUS_QUEUED);

    expect(await harness.cancel('job_stalls1')).toMatchObject({ status: JOB_STATUS_CANCELED, billedSeconds: 0 });
    const [task] = await harness.chunksOf('job_waits');
    if (task) await harness.publish({ type: 'chunk.transcribed', data: resultOf(task) });
    const { media } = await eventually('the first chunk', async () => {
      const job = await harness.get('job_waits');
      return job.chunksDone === 1 && job;
    });
    expect((await harness.cancel('job_waits')).billedSeconds).toBe(media?.duration);
    const again = await harness.cancel('job_waits');
    expect([again.status, again.version]).toEqual([common.JobStatus.JOB_STATUS_CANCELED, (await harness.get('job_waits')).version]);
    await eventually('the audio to be removed', async () => !(await harness.storedKeys(`${ACCOUNT}/job_waits/`)).some((key) => key.includes('/audio/')));
    await harness.cancel('job_stalls2');
  });
});

describe('retry', () => {
  it('of a failed job keeps the chunks that are done', async () => {
    await harness.create('job_again');
    const [first, second] = await harness.chunksOf('job_again');
    if (!first || !second) throw new Error('two chunks were expected');
    const { jobId, accountId, run, index, total } = first;
    await harness.publish({ type: 'chunk.transcribed', data: resultOf(second) });
    await eventually('the second chunk', async () => (await harness.get('job_again')).chunksDone === 1);
    await harness.publish({ type: 'chunk.failed', data: { jobId, accountId, run, index, total, error: FAILURE } });
    expect((await harness.until('job_again', JOB_STATUS_FAILED)).error).toEqual(FAILURE);

    expect(await harness.retry('job_again')).toMatchObject({ status: JOB_STATUS_QUEUED, run: 2 });
    await harness.chunksOf('job_again', 2);
    expect((await harness.get('job_again')).chunksDone).toBe(1);
    await harness.transcribe('job_again', 2);
    for (const stage of ADD_ONS) await harness.finishStage('job_again', stage, { run: 2 });
    await harness.until('job_again', JOB_STATUS_COMPLETED);
    await eventually('the last event', () => harness.heard('job.completed', 'job_again').length === 1);
    expect(harness.announced('job_again')).toEqual(['job.created', 'job.started', 'job.failed', 'job.started', 'job.transcript_ready', 'job.completed']);
    expect(harness.heard('job.completed', 'job_again')[0]?.sequence).toBe(5);
  });

  it('of a failed fetch goes to the full address again', async () => {
    harness.mediaServer.at('/later', (request, response, nth) => (nth === 1 || !request.url?.includes('token=secret') ? response.writeHead(403).end() : response.writeHead(302, { location: '/talk.mp3' }).end()));
    await harness.create('job_later', '/later?token=secret');
    await harness.until('job_later', JOB_STATUS_FAILED);
    expect((await harness.get('job_later')).audioUrl).not.toContain('secret');
    await harness.retry('job_later');
    await harness.untilHeard('media.ready', 'job_later');
    await harness.cancel('job_later');
  });

  it('of a completed job asks for its failed stages alone, for which diarization finds its audio', async () => {
    await harness.create('job_stage', '/short.flac');
    await harness.transcribe('job_stage');
    await harness.finishStage('job_stage', STAGE_DIARIZATION, { status: STAGE_STATUS_FAILED, error: FAILURE });
    await harness.finishStage('job_stage', STAGE_SUMMARY, { status: STAGE_STATUS_SKIPPED, error: { ...FAILURE, code: 'stage_unavailable' } });
    for (const stage of [STAGE_HIGHLIGHTS, STAGE_SEARCH]) await harness.finishStage('job_stage', stage);
    const job = await harness.until('job_stage', JOB_STATUS_COMPLETED);
    expect(job.warnings.map(({ code }) => code)).toEqual(['diarization_failed', 'stage_unavailable']);

    expect(await harness.retry('job_stage')).toMatchObject({ status: JOB_STATUS_COMPLETED, run: 2 });
    const requested = await harness.untilHeard('stage.requested', 'job_stage');
    expect(requested).toMatchObject([{ stage: STAGE_DIARIZATION, run: 2 }]);
    expect((await harness.storedKeys(`${ACCOUNT}/job_stage/audio/`)).length).toBeGreaterThan(0);
    await harness.finishStage('job_stage', STAGE_DIARIZATION, { run: 2 });
    await eventually('the audio to be removed', async () => (await harness.storedKeys(`${ACCOUNT}/job_stage/audio/`)).length === 0);
    expect((await harness.get('job_stage')).warnings.map(({ code }) => code)).toEqual(['stage_unavailable']);
    expect(await harness.untilHeard('job.completed', 'job_stage')).toHaveLength(1);
  });
});

describe('a job that is not to be kept', () => {
  const callbackUrl = 'http://127.0.0.1:9/hook';
  const create = (jobId: string) =>
    harness.createRaw({
      jobId,
      accountId: ACCOUNT,
      source: { $case: 'audioUrl', value: harness.mediaServer.url('/talk.mp3') },
      callbackUrl,
      options: common.JobOptions.fromPartial({ retentionHours: 0 }),
    });

  it('is erased as soon as the webhook of its end is settled', async () => {
    await create('job_brief');
    await harness.cancel('job_brief');
    const [end] = await harness.untilHeard('job.canceled', 'job_brief');
    const { sequence = 0, status = JOB_STATUS_CANCELED } = end ?? {};
    await harness.publish({ type: 'webhook.settled', data: { jobId: 'job_brief', accountId: ACCOUNT, sequence, status } });
    const [deleted] = await harness.untilHeard('job.deleted', 'job_brief');
    await expect(harness.get('job_brief')).rejects.toMatchObject({ kind: 'not_found' });
    expect((await harness.erasure(deleted?.erasureId ?? ''))?.jobId).toBe('job_brief');
  });

  it('stays until then, and at the longest until the last try must have failed', async () => {
    await create('job_waiting');
    const { completedAt, expiresAt } = await harness.cancel('job_waiting');
    expect((expiresAt?.getTime() ?? 0) - (completedAt?.getTime() ?? 0)).toBe(240 * 3_600_000);
  });
});

describe('delete', () => {
  it('makes the job unknown at once and leaves nothing of its media', async () => {
    await completed('job_gone');
    const erasureId = await harness.delete('job_gone');
    await expect(harness.get('job_gone')).rejects.toMatchObject({ kind: 'not_found' });
    expect(await harness.delete('job_gone')).toBe(erasureId);
    await expect(harness.delete('job_never')).rejects.toMatchObject({ kind: 'not_found' });
    await expect(harness.create('job_gone')).rejects.toMatchObject({ kind: 'not_found' });
    expect((await harness.list({ limit: 100 })).jobs.map(({ jobId }) => jobId)).not.toContain('job_gone');
    await eventually('the media to be erased', async () => (await harness.storedKeys(`${ACCOUNT}/job_gone/`)).length === 0);

    expect((await harness.erasures()).erasures.map((each) => each.erasureId)).toContain(erasureId);
    await eventually("ingest's own report", async () => (await harness.erasure(erasureId))?.items.length === 1);
    const others = SERVICE_NAMES.filter((name) => name !== 'ingest');
    for (const where of others) {
      expect(await harness.erasure(erasureId)).toMatchObject({ status: 'pending', jws: undefined });
      await harness.publish({ type: 'erasure.reported', data: { erasureId, jobId: 'job_gone', accountId: ACCOUNT, what: 'all', where, count: 1, erasedAt: new Date() } });
    }
    const receipt = await eventually('every report', async () => {
      const erasure = await harness.erasure(erasureId);
      return erasure?.status === 'completed' && erasure;
    });
    expect(receipt.items.map(({ where }) => where).toSorted()).toEqual([...SERVICE_NAMES].toSorted());
    expect(receipt.items.find(({ where }) => where === 'ingest')).toMatchObject({ what: 'media', count: 3 });
    const [listed] = (await harness.erasures()).erasures.filter((each) => each.erasureId === erasureId);
    expect(listed?.jws).toBe(receipt.jws);
  });

  it('cancels a job at work first, and what was in flight leaves nothing', async () => {
    harness.mediaServer.at('/stalls', saysNothing);
    await harness.create('job_flight', '/stalls');
    await harness.untilHeard('job.started', 'job_flight');
    await harness.delete('job_flight');
    await harness.untilHeard('job.deleted', 'job_flight');
    expect(harness.announced('job_flight')).toEqual(['job.created', 'job.started', 'job.canceled', 'job.deleted']);
    await completed('job_next');
    expect(await harness.storedKeys(`${ACCOUNT}/job_flight/`)).toEqual([]);
  });
});

describe('events delivered again', () => {
  it('change nothing', async () => {
    await completed('job_dup');
    // Both may follow the end of the job.
    await harness.untilHeard('usage.recorded', 'job_dup');
    await eventually('the audio to be removed', async () => (await harness.storedKeys(`${ACCOUNT}/job_dup/audio/`)).length === 0);
    const job = await harness.get('job_dup');
    const heard = () => harness.service.heard.filter(({ key }) => key === 'job_dup').map(({ id }) => id);
    const before = heard();
    await harness.service.republish(harness.service.heard.filter(({ id }) => before.includes(id)));
    await completed('job_after');
    await eventually('all of them again', () => heard().length >= 2 * before.length);
    expect(await harness.get('job_dup')).toEqual(job);
    expect(new Set(heard())).toEqual(new Set(before));
  });
});

describe('a job at work', () => {
  it('tells its progress without going back', async () => {
    await completed('job_steps');
    const percents = harness.heard('job.progressed', 'job_steps').map(({ progress }) => progress?.percent ?? 0);
    expect(percents.length).toBeGreaterThan(2);
    expect(percents).toEqual([...percents].toSorted((a, b) => a - b));
    expect(harness.heard('job.started', 'job_steps')[0]).toMatchObject({ status: JOB_STATUS_PROCESSING, sequence: 1 });
  });
});
