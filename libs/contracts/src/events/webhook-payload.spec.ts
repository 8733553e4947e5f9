import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import * as common from '../generated/parlance/common/v1/job.js';
import * as events from '../generated/parlance/events/v1/events.js';
import { webhookPayload } from './webhook-payload.js';

const time = '2026-11-21T08:00:00.000Z';
const jobEvent = (fields: Partial<events.JobEvent>) => events.JobEvent.fromPartial({ jobId: 'job_1', accountId: 'acc_1', ...fields });

describe('the body of a webhook', () => {
  it('says what happened to which job, without anything of its content', () => {
    const body = webhookPayload('job.completed', time, {
      ...jobEvent({ sequence: 3, status: common.JobStatus.JOB_STATUS_COMPLETED, metadata: { order: '7' }, duration: 12.5 }),
      occurredAt: new Date('2026-11-21T07:59:59.500Z'),
    });
    expect(JSON.parse(body)).toEqual({
      type: 'transcription.completed',
      timestamp: '2026-11-21T07:59:59.500Z',
      data: { job_id: 'job_1', status: 'completed', sequence: 3, duration: 12.5, metadata: { order: '7' } },
    });
  });

  it('names the stage and the error of a stage that failed', () => {
    const error = { code: 'engine_failed', message: 'The engine stopped.', retryable: true };
    const event = jobEvent({ sequence: 2, status: common.JobStatus.JOB_STATUS_PROCESSING, stage: common.Stage.STAGE_SUMMARY, error });
    expect(JSON.parse(webhookPayload('job.stage_failed', time, event))).toMatchObject({
      type: 'transcription.stage_failed',
      timestamp: time,
      data: { status: 'processing', stage: 'summary', error },
    });
  });

  it('stays under 20 kB whatever the metadata and warnings are, and says when it left something out', () => {
    const long = fc.string({ unit: 'grapheme', maxLength: 4000 });
    const metadata = fc.dictionary(fc.string({ maxLength: 40 }), long, { maxKeys: 16 });
    const warnings = fc.array(fc.record({ code: fc.string({ maxLength: 40 }), message: long }), { maxLength: 30 });
    fc.assert(
      fc.property(metadata, warnings, (metadata, warnings) => {
        const event = jobEvent({ sequence: 1, status: common.JobStatus.JOB_STATUS_COMPLETED, metadata, warnings });
        const body = webhookPayload('job.completed', time, event);
        const { data } = JSON.parse(body);
        expect(Buffer.byteLength(body)).toBeLessThan(20_000);
        expect(data.job_id).toBe('job_1');
        const whole = (data.warnings ?? []).length === warnings.length && Object.keys(data.metadata).length === Object.keys(event.metadata).length;
        expect(data.truncated).toBe(whole ? undefined : true);
      }),
      { numRuns: 60 },
    );
  });
});
