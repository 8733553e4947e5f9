import type { common, NewEvent } from '@parlance/contracts';
import { isBackground } from '@parlance/stage';
import { EMPTY_CHUNKS } from './chunk-set.js';
import { announce } from './job-events.js';
import { nameWords } from './name-words.js';
import type { JobSource } from './job-source.js';
import { advance } from './job-state-machine.js';
import { isAskedFor, STAGES, type Job, type MediaLimits, type Stage, type StageName } from './job.js';

export interface NewJob {
  jobId: string;
  accountId: string;
  source: JobSource;
  callbackUrl?: string | undefined;
  sealedCallbackHeaders?: string | undefined;
  callbackInclude?: string[] | undefined;
  keyId?: string | undefined;
  title?: string | undefined;
  /** RFC 3339 UTC. */
  recordedAt?: string | undefined;
  /** The batch that it belongs to. */
  batchId?: string | undefined;
  /** The project that it belongs to. */
  projectId?: string | undefined;
  options: common.JobOptions;
  limits?: JobLimits | undefined;
  /** W3C trace context of the request. */
  traceparent?: string | undefined;
}

/** A new job, and the events to publish about it. */
export interface CreatedJob {
  job: Job;
  events: NewEvent[];
}

/** Limits of the account's plan, in place of those of the settings. */
export interface JobLimits {
  /** 0 is no limit. */
  jobsInFlight?: number | undefined;
  media: MediaLimits;
}

/** A queued job and its job.created; a live one has started. Stages that were not requested are skipped at once. */
export function createJob(request: NewJob, now: string): CreatedJob {
  const { jobId, accountId, source, callbackUrl, sealedCallbackHeaders, callbackInclude = [], keyId, batchId, projectId, title, recordedAt, options, limits, traceparent } = request;
  const stage = (name: StageName): Stage => ({ status: isAskedFor(name, options) ? 'pending' : 'skipped', attempts: 0 });
  const job: Job = {
    id: jobId,
    createdAt: now,
    updatedAt: now,
    accountId,
    status: 'queued',
    run: 1,
    revision: 1,
    sequence: 0,
    open: true,
    ...(options.resultKey !== undefined && { isSealed: true as const }),
    source,
    ...(source.kind === 'live' && { kind: 'live' as const }),
    nameWords: nameWords({ source, title }),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(sealedCallbackHeaders !== undefined && { sealedCallbackHeaders }),
    ...(callbackInclude.length > 0 && { callbackInclude }),
    ...(keyId !== undefined && { keyId }),
    ...(title !== undefined && { title }),
    ...(recordedAt !== undefined && { recordedAt }),
    ...(batchId !== undefined && { batchId }),
    ...(projectId !== undefined && { projectId }),
    priority: isBackground(options) ? 'batch' : 'normal',
    options,
    ...(limits && { limits: limits.media }),
    metadata: options.metadata,
    ingestPart: 0,
    chunks: { total: 0, done: EMPTY_CHUNKS, count: 0, countAtStart: 0 },
    progress: { percent: 0, stage: 'ingest' },
    stages: Object.fromEntries(STAGES.map((name) => [name, stage(name)])) as Record<StageName, Stage>,
    warnings: [],
    ...(traceparent !== undefined && { traceparent }),
  };
  const created = announce(job, [{ type: 'job.created' }], now);
  const started = source.kind === 'live' ? advance(created.job, { type: 'started', run: 1 }, now) : undefined;
  return { job: started?.job ?? created.job, events: [...created.events, ...(started?.events ?? [])].map((event) => ({ ...event, traceparent })) };
}
