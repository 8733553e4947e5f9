import { describe, expect, it } from '@jest/globals';
import { ingest } from '@parlance/contracts';
import { AssemblyAiList } from './assemblyai-list.js';

const at = (time: string) => new Date(`2026-01-${time}:00.000Z`);
const jobs = [
  ['job_1', at('01T08:00')],
  ['job_2', at('02T08:00')],
  ['job_3', at('02T09:00')],
  ['job_4', at('02T09:00')],
  ['job_5', at('02T09:00')],
  ['job_6', at('03T09:00')],
] as const;
const all = jobs.map(([jobId, createdAt]) => ingest.Job.fromPartial({ jobId, createdAt }));

/** Lists as the service of jobs does, without the jobs that a filter leaves out. */
function listWithout(...hidden: string[]) {
  const within = ({ createdAt = at('01T00:00') }: ingest.Job, { createdAfter, createdBefore }: ingest.ListJobsRequest) => createdAt >= (createdAfter ?? new Date(0)) && createdAt < (createdBefore ?? at('31T00:00'));
  const listJobs = async (request: ingest.ListJobsRequest) => {
    const found = all.filter((job) => !hidden.includes(job.jobId) && within(job, request));
    return { jobs: request.ascending ? found : found.toReversed(), nextCursor: undefined };
  };
  const get = async ({ jobId }: { jobId: string }) => all.find((job) => job.jobId === jobId) ?? ingest.Job.fromPartial({});
  const list = new AssemblyAiList({ listJobs }, { get });
  return async (query: object) => (await list.read({ accountId: 'acc_1', keyId: 'key_1', scopes: new Set() }, query)).jobs.map(({ jobId }) => jobId);
}

describe('a list of AssemblyAI’s transcripts', () => {
  it('is the newest first, before or after one of several that were created at the same time', async () => {
    expect(await listWithout()({ limit: '3' })).toEqual(['job_6', 'job_5', 'job_4']);
    expect(await listWithout()({ before_id: 'job_4' })).toEqual(['job_3', 'job_2', 'job_1']);
    expect(await listWithout()({ after_id: 'job_4' })).toEqual(['job_6', 'job_5']);
  });

  it('continues behind a transcript that is not in it any more, as its status has changed', async () => {
    expect(await listWithout('job_4')({ before_id: 'job_4' })).toEqual(['job_3', 'job_2', 'job_1']);
    expect(await listWithout('job_4')({ after_id: 'job_4' })).toEqual(['job_6', 'job_5']);
  });

  it('keeps to its day on every page', async () => {
    expect(await listWithout()({ created_on: '2026-01-02', before_id: 'job_4' })).toEqual(['job_3', 'job_2']);
    expect(await listWithout()({ created_on: '2026-01-02', after_id: 'job_3' })).toEqual(['job_5', 'job_4']);
  });
});
