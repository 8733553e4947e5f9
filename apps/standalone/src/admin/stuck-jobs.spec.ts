import { describe, expect, it } from '@jest/globals';
import type { DeadLetter } from '@parlance/event-bus';
import type { Job } from '@parlance/ingest/operators';
import { stuckJob, stuckJson, stuckTable } from './stuck-job-views.js';

const job = (fields: object): Job => ({ id: 'job_1', accountId: 'acc_1', status: 'processing', updatedAt: '2026-01-01T00:00:00.000Z', progress: { percent: 20 }, chunks: { count: 3, total: 10 }, stages: { summary: { status: 'pending' } }, ...fields }) as unknown as Job;

describe('why a job is stuck', () => {
  it('is the event of it that a service could not handle', () => {
    const letter = { id: 'evt_1.transcription', group: 'transcription', reason: 'Error: out of memory', event: { type: 'chunk.requested' } } as unknown as DeadLetter;
    const found = stuckJob(job({}), 'transcription', [letter], 0);
    expect(found.cause).toBe('transcription could not handle chunk.requested: Error: out of memory (dead letter evt_1.transcription)');
    expect(stuckJson(found)).toMatchObject({ job_id: 'job_1', stage: 'transcription', percent: 20, updated_at: '2026-01-01T00:00:00.000Z' });
  });

  it('is told from where it stands otherwise', () => {
    expect(stuckJob(job({ status: 'queued' }), 'ingest', [], 4).cause).toContain('behind 4 jobs');
    expect(stuckJob(job({ status: 'queued' }), 'ingest', [], 0).cause).toContain('not started');
    expect(stuckJob(job({}), 'transcription', [], 0).cause).toContain('3 of 10 chunks');
    expect(stuckJob(job({}), 'summary', [], 0).cause).toContain('summary not started');
    expect(stuckJob(job({ stages: { summary: { status: 'running' } } }), 'summary', [], 0).cause).toContain('has sent no event since');
  });

  it('stands in a line for a person', () => {
    expect(stuckTable([])).toBe('No stuck jobs.');
    expect(stuckTable([stuckJob(job({}), 'ingest', [], 0)])).toMatch(/job_1 +2026-01-01T00:00:00.000Z +acc_1 +processing +ingest/);
  });
});
