import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, diarization, events, type EventData, type EventType } from '@parlance/contracts';
import { openMediaStore, readObject, type MediaStore } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { parseSpeakerTurns, type ChunkPlan } from '@parlance/transcript';
import { manifest } from './service.js';

const ACCOUNT = 'acc_1';
const STAGE = common.Stage.STAGE_DIARIZATION;

describe('the diarization service', () => {
  let service: ServiceHarness;
  let media: MediaStore;
  beforeAll(async () => {
    // Whichever recording comes first fails in its first run.
    service = await ServiceHarness.start(manifest, { DIARIZATION_ENGINE_URL: 'fixture:?speakers=2&turnSeconds=2&failTimes=1', DIARIZATION_MAX_ATTEMPTS: '1' });
    media = await openMediaStore(`file:${join(service.dataFolder, 'media')}`);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const heard = <K extends EventType>(type: K, jobId: string) =>
    service.heard.filter((event) => event.type === type).map(({ data }) => data as EventData<K> & { jobId: string }).filter((data) => data.jobId === jobId);
  const awaitEvent = <K extends EventType>(type: K, jobId: string, count = 1) =>
    eventually(`${count} × ${type} of ${jobId}`, () => heard(type, jobId).length >= count && heard(type, jobId));

  const store = (jobId: string) => storeRecording(media, jobId);
  const mediaReady = (...recording: Parameters<typeof mediaReadyOf>) => service.publish({ type: 'media.ready', data: mediaReadyOf(...recording) });
  const retry = (jobId: string, run: number, stage = STAGE) =>
    service.publish({ type: 'stage.requested', data: requestedOf(jobId, run, stage) });
  const tell = (type: 'job.canceled' | 'job.deleted', jobId: string) =>
    service.publish({ type, data: events.JobEvent.fromPartial({ jobId, accountId: ACCOUNT, erasureId: 'era_1' }) });

  it('tells a failure of the engine as the failure of its stage, and redoes the stage when a retry asks for it', async () => {
    await store('job_1');
    await mediaReady('job_1');
    expect(await awaitEvent('stage.finished', 'job_1')).toMatchObject([{ run: 1, stage: STAGE, status: 'STAGE_STATUS_FAILED', error: { code: 'engine_failed', retryable: true } }]);
    await retry('job_1', 2, common.Stage.STAGE_SUMMARY);
    await retry('job_1', 3);
    const [done] = await awaitEvent('diarization.completed', 'job_1');
    expect(done).toMatchObject({ run: 3, engine: 'fixture', speakerCount: 2, turnCount: 4, warnings: [] });
    // stage.started is on another topic and may be delivered later.
    await awaitEvent('stage.started', 'job_1', 2);
    expect(heard('stage.started', 'job_1').filter(({ status }) => status === common.StageStatus.STAGE_STATUS_RUNNING).map(({ run }) => run)).toEqual([1, 3]);
  });

  it('stores who speaks when over the whole recording, by reference', async () => {
    const [{ turnsKey } = { turnsKey: '' }] = heard('diarization.completed', 'job_1');
    const { turns } = parseSpeakerTurns(new TextDecoder().decode(await readObject(media, turnsKey)));
    expect(turns.map(({ start, end, speakerId }) => [start, end, speakerId])).toEqual([[0, 2, 'S1'], [2, 4, 'S2'], [4, 6, 'S1'], [6, 8, 'S2']]);
  });

  it('tells a later run what it knows, without the audio, and each run once', async () => {
    await media.removePrefix(`${ACCOUNT}/job_1/audio/`);
    const ready = await mediaReady('job_1', {}, 4);
    await service.republish(ready);
    const told = await awaitEvent('diarization.completed', 'job_1', 2);
    expect(told[1]).toMatchObject({ run: 4, turnsKey: told[0]!.turnsKey });
    // Nor does the run that failed leave one: its event, made once more, would do nothing.
    expect(await service.bus.deadLetters.list()).toEqual([]);
  });

  it('warns when the bounds that were asked for cannot be kept', async () => {
    await store('job_2');
    await mediaReady('job_2', { minSpeakers: 5 });
    const [done] = await awaitEvent('diarization.completed', 'job_2');
    expect(done?.warnings).toMatchObject([{ code: 'speakers_below_minimum' }]);
  });

  it('leaves jobs alone that do not ask for speakers, whose channels are the speakers, or that were canceled', async () => {
    await store('job_3');
    await mediaReady('job_3', { enabled: false });
    await service.publish({ type: 'media.ready', data: { ...mediaReadyOf('job_3'), media: common.Media.fromPartial({ duration: 8, splitChannels: 2 }) } });
    await service.publish({ type: 'stage.requested', data: events.StageRequested.fromPartial({ jobId: 'job_4', accountId: ACCOUNT, run: 1, stage: STAGE }) });
    await awaitEvent('stage.finished', 'job_4');
    expect(heard('stage.finished', 'job_4')).toMatchObject([{ status: 'STAGE_STATUS_FAILED', error: { message: 'The recording is not known.' } }]);
    await tell('job.canceled', 'job_2');
    await tell('job.deleted', 'job_3');
    await awaitEvent('erasure.reported', 'job_3');
    await retry('job_2', 2);
    await store('job_5');
    await mediaReady('job_5');
    await awaitEvent('diarization.completed', 'job_5');
    expect(heard('diarization.completed', 'job_2')).toHaveLength(1);
    expect(heard('stage.started', 'job_3')).toEqual([]);
  });

  it('erases what it holds, and stores nothing of the job again', async () => {
    await tell('job.deleted', 'job_1');
    expect(await awaitEvent('erasure.reported', 'job_1')).toMatchObject([{ erasureId: 'era_1', what: 'speakers', where: 'diarization', count: 1 }]);
    await store('job_1');
    await mediaReady('job_1', {}, 5);
    await store('job_6');
    await mediaReady('job_6');
    await awaitEvent('diarization.completed', 'job_6');
    expect(await media.head(`${ACCOUNT}/job_1/speakers/5.json`)).toBeUndefined();
    expect(heard('diarization.completed', 'job_1')).toHaveLength(2);
  });

  it('names its engine over gRPC', async () => {
    const { engine } = await service.process.connect('diarization', diarization.DiarizationServiceDefinition).getEngine({});
    expect(engine).toMatchObject({ name: 'fixture', available: true });
  });
});

describe('a recording that waits for the engine', () => {
  it('is not diarized when its job is canceled before its turn comes', async () => {
    // The job is canceled within the seconds that the first recording takes.
    await using service = await ServiceHarness.start(manifest, { DIARIZATION_ENGINE_URL: 'fixture:?delayMs=3000', DIARIZATION_CONCURRENCY: '1' });
    const media = await openMediaStore(`file:${join(service.dataFolder, 'media')}`);
    const diarized = (type: 'stage.started' | 'diarization.completed', jobId: string) => service.heard.some((event) => event.type === type && event.data.jobId === jobId);
    const mediaReady = async (jobId: string) => {
      await storeRecording(media, jobId);
      await service.publish({ type: 'media.ready', data: mediaReadyOf(jobId) });
    };
    await mediaReady('job_running');
    await eventually('the first recording to run', () => diarized('stage.started', 'job_running'));
    await mediaReady('job_waiting');
    await service.publish({ type: 'job.canceled', data: events.JobEvent.fromPartial({ jobId: 'job_waiting', accountId: ACCOUNT }) });
    await mediaReady('job_last');
    await eventually('the last recording', () => diarized('diarization.completed', 'job_last'));
    expect(diarized('stage.started', 'job_waiting')).toBe(false);
  });
});

/** Eight seconds in two chunks that overlap by two, as ingest stores them. */
async function storeRecording(media: MediaStore, jobId: string): Promise<void> {
  const chunk = (index: number, start: number, end: number) => {
    return { index, start, end, ownStart: index * 4, ownEnd: index * 4 + 4, speech: [{ start, end }], audioKey: `${ACCOUNT}/${jobId}/audio/${index}.pcm` };
  };
  const plan: ChunkPlan = { jobId, duration: 8, sampleRate: 16000, options: { vocabulary: [] }, chunks: [chunk(0, 0, 5), chunk(1, 3, 8)] };
  for (const { audioKey } of plan.chunks) await media.put(audioKey, one(new Uint8Array(5 * 32_000)));
  await media.put(`${ACCOUNT}/${jobId}/plan.json`, one(new TextEncoder().encode(JSON.stringify(plan))));
}

function mediaReadyOf(jobId: string, diarization: Partial<common.DiarizationOptions> = {}, run = 1): events.MediaReady {
  const options = common.JobOptions.fromPartial({ diarization: { enabled: true, ...diarization } });
  const media = common.Media.fromPartial({ duration: 8, sha256: 'abc' });
  return events.MediaReady.fromPartial({ jobId, accountId: ACCOUNT, run, planKey: `${ACCOUNT}/${jobId}/plan.json`, media, options });
}

function requestedOf(jobId: string, run: number, stage: common.Stage): events.StageRequested {
  const { accountId, planKey, media, options } = mediaReadyOf(jobId, {}, run);
  return { jobId, accountId, run, stage, planKey, media, options };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
