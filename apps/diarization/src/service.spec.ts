import { describe, expect, it } from '@jest/globals';
import { common, diarization, events, type NewEvent } from '@parlance/contracts';
import { callUnary } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { manifest } from './service.js';

const job = { jobId: 'job_1', accountId: 'acc_1', run: 1 };
const options = common.JobOptions.fromPartial({ diarization: { enabled: true } });
const ready: NewEvent = { type: 'media.ready', data: events.MediaReady.fromPartial({ ...job, options }) };

describe('the diarization service', () => {
  it('reads the topics and types that its README lists, as one group', () => {
    const consumers = manifest.consumers({ get: () => undefined } as unknown as Parameters<typeof manifest.consumers>[0]);
    expect(consumers.map(({ group, topic, handlers }) => [group, topic, Object.keys(handlers)])).toEqual([
      ['diarization', 'parlance.media.v1', ['media.ready']],
      ['diarization', 'parlance.stages.v1', ['stage.requested']],
      ['diarization', 'parlance.jobs.v1', ['job.deleted']],
    ]);
  });

  it('says over gRPC that it has no engine', async () => {
    await using service = await ServiceHarness.start(manifest);
    const client = service.process.connect('diarization', diarization.DiarizationServiceClient);
    const { engine } = await callUnary(client, client.getEngine, {});
    expect(engine).toMatchObject({ name: 'none', available: false });
  });

  it('skips what a job asks of it, answers a retry, and reports an erasure', async () => {
    await using service = await ServiceHarness.start(manifest);
    const told = (type: string) => service.heard.filter((event) => event.type === type).map(({ data }) => data);

    await service.republish(await service.publish(ready));
    await eventually('the skipped stage', () => told('stage.finished').length === 1);
    await service.publish({ type: 'stage.requested', data: events.StageRequested.fromPartial({ ...job, run: 2, stage: common.Stage.STAGE_DIARIZATION }) });
    await eventually('the answer to the retry', () => told('stage.finished').length === 2);
    expect(told('stage.finished').at(-1)).toMatchObject({ jobId: 'job_1', run: 2, stage: 'STAGE_DIARIZATION', status: 'STAGE_STATUS_SKIPPED', error: { code: 'stage_unavailable' } });

    await service.publish({ type: 'job.deleted', data: events.JobEvent.fromPartial({ jobId: 'job_1', accountId: 'acc_1', erasureId: 'era_1' }) });
    await eventually('the report', () => told('erasure.reported').length === 1);
    expect(told('erasure.reported')).toMatchObject([{ erasureId: 'era_1', where: 'diarization', count: 0 }]);
    expect(told('stage.finished')).toHaveLength(2);
  });
});
