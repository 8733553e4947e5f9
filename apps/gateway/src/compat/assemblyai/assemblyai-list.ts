import { Inject, Injectable } from '@nestjs/common';
import { ingest, JOB_STATUS, type JobService } from '@parlance/contracts';
import { JOB_SERVICE } from '@parlance/runtime';
import { z } from 'zod';
import { invalidFields, queryPointer } from '../../http/field-errors.js';
import { check } from '../../http/request-input.js';
import type { Caller } from '../../keys/authenticator.js';
import { JobReader } from '../../transcriptions/job-reader.js';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 10;
const PAGE = 100;
const DAY_MS = 86_400_000;

const { queued, processing, completed, failed, canceled } = JOB_STATUS;
const STATUSES = { queued: [queued], processing: [processing], completed: [completed], error: [failed, canceled] } as const;

const emptyAsAbsent = (value: unknown) => (value === '' ? undefined : value);
const optional = <T extends z.ZodType>(schema: T) => z.preprocess(emptyAsAbsent, schema.optional());

const listQuery = z.object({
  limit: optional(z.coerce.number().int().min(1).max(MAX_LIMIT)),
  status: optional(z.enum(['queued', 'processing', 'completed', 'error'])),
  created_on: optional(z.iso.date()),
  before_id: optional(z.string()),
  after_id: optional(z.string()),
});

type ListQuery = z.output<typeof listQuery>;

interface JobList {
  /** Newest first. */
  jobs: ingest.Job[];
  query: ListQuery & { limit: number };
  /** True when there are older ones. */
  hasOlder: boolean;
}

/** A transcript in the order of the list. */
type Place = Pick<ingest.Job, 'jobId' | 'createdAt'>;

type Range = Pick<ingest.ListJobsRequest, 'createdAfter' | 'createdBefore' | 'ascending'> & { behind: Place | undefined };

/** The transcripts that were created by AssemblyAI's API. */
@Injectable()
export class AssemblyAiList {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'listJobs'>,
    @Inject(JobReader) private readonly reader: Pick<JobReader, 'get'>,
  ) {}

  /** @throws AppError of a query that cannot be read, not_found for `before_id` and `after_id` that are no transcripts */
  async read({ accountId, projectId }: Caller, given: unknown): Promise<JobList> {
    const errors: Parameters<typeof check>[3] = [];
    const query = check(listQuery, given, queryPointer, errors);
    if (!query || errors.length > 0) throw invalidFields(errors);
    const { limit = DEFAULT_LIMIT, status } = query;
    const { behind, ...range } = await this.rangeOf({ accountId, projectId }, query);
    const request = { ...ingest.ListJobsRequest.fromPartial({ accountId, metadata: { source: 'assemblyai' }, statuses: status ? [...STATUSES[status]] : [], limit: PAGE }), ...range, projectId };
    const found: ingest.Job[] = [];
    for await (const job of this.all(request, behind)) {
      found.push(job);
      if (found.length > limit) break;
    }
    const jobs = found.slice(0, limit);
    return { jobs: range.ascending ? jobs.toReversed() : jobs, query: { ...query, limit }, hasOlder: range.ascending ? true : found.length > limit };
  }

  /** Times of creation are not unique: the list begins at that of the transcript it is to follow, and leaves out what is up to this one. */
  private async rangeOf(owner: { accountId: string; projectId: string | undefined }, { before_id: before, after_id: after, created_on: day }: ListQuery): Promise<Range> {
    const jobId = before ?? after;
    const behind = jobId === undefined ? undefined : await this.reader.get({ ...owner, jobId });
    const [start, end] = day === undefined ? [-Infinity, Infinity] : [Date.parse(day), Date.parse(day) + DAY_MS];
    const time = behind?.createdAt?.getTime();
    const ascending = before === undefined && after !== undefined;
    return {
      createdAfter: timeOf(Math.max(start, (ascending ? time : undefined) ?? -Infinity)),
      createdBefore: timeOf(Math.min(end, ascending || time === undefined ? Infinity : time + 1)),
      ascending,
      behind,
    };
  }

  private async *all(request: ingest.ListJobsRequest, behind: Place | undefined): AsyncGenerator<ingest.Job> {
    let cursor: string | undefined;
    do {
      const page = await this.jobs.listJobs({ ...request, cursor });
      for (const job of page.jobs) if (behind === undefined || isBehind(job, behind, request.ascending)) yield job;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }
}

/** @returns undefined for an open end of a range */
const timeOf = (ms: number): Date | undefined => (Number.isFinite(ms) ? new Date(ms) : undefined);

/** Jobs are ordered by the time of their creation, then by id. The place itself need not be in the list: its status may have changed. */
function isBehind(job: Place, place: Place, ascending: boolean): boolean {
  const later = (job.createdAt?.getTime() ?? 0) - (place.createdAt?.getTime() ?? 0) || (job.jobId > place.jobId ? 1 : -1);
  return job.jobId !== place.jobId && later > 0 === ascending;
}
