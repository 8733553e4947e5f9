import { describe, expect, it } from '@jest/globals';
import { JobStatus, Stage, StageStatus } from '../generated/parlance/common/v1/job.js';
import { EVENTS, isEventType, TOPICS, topicOf, typesOn, type EventType, type Topic } from './event-catalogue.js';

const types = Object.keys(EVENTS) as EventType[];

describe('the event catalogue', () => {
  it.each(types)('gives %s a known topic, a key and a schema that survives JSON', (type) => {
    const { codec, key, topic } = EVENTS[type];
    const data = codec.fromJSON({ jobId: 'job_1', endpointId: 'job_1', batchId: 'job_1', accountId: 'acc_1', index: 3 });
    expect(Object.keys(TOPICS)).toContain(topic);
    expect(key(data as never)).toMatch(/^(job_1(\/3)?|acc_1)$/);
    expect(codec.fromJSON(JSON.parse(JSON.stringify(codec.toJSON(data as never))))).toEqual(data);
  });

  it('uses every topic', () => {
    const unused = (Object.keys(TOPICS) as Topic[]).filter((topic) => typesOn(topic).length === 0);
    expect(unused).toEqual([]);
  });

  it('keeps all events of a job on one key of its topic, so that they stay in order', () => {
    const data = EVENTS['job.completed'].codec.fromJSON({ jobId: 'job_7' });
    expect(EVENTS['job.completed'].key(data)).toBe('job_7');
    expect(topicOf('job.created')).toBe(topicOf('job.completed'));
  });

  it('knows a stranger', () => {
    expect(isEventType('job.exploded')).toBe(false);
    expect(isEventType('toString')).toBe(false);
  });

  it('writes enums by their proto names, as the proto3 JSON mapping says', () => {
    const { codec } = EVENTS['stage.finished'];
    const data = codec.fromJSON({ jobId: 'job_1', stage: 'STAGE_SUMMARY', status: 'STAGE_STATUS_SKIPPED' });
    expect(data).toMatchObject({ stage: Stage.STAGE_SUMMARY, status: StageStatus.STAGE_STATUS_SKIPPED });
    expect(codec.toJSON(data)).toMatchObject({ stage: 'STAGE_SUMMARY' });
    expect(JobStatus.JOB_STATUS_QUEUED).toBe('JOB_STATUS_QUEUED');
  });
});
