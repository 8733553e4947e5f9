import { common } from '@parlance/contracts';
import { PATIENT_RETRY, type Consumer, type EventBus, type EventEnvelope, type Follower, type RetryPolicy } from '@parlance/event-bus';
import type { Clock } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import type { Admission } from '../admission/admission.js';
import type { ErasureStore } from '../erasure/erasure-store.js';
import { logErasures } from '../erasure/log-erasures.js';
import type { IngestTask } from '../intake/ingest-task.js';
import { mediaKeys } from '../media/index.js';
import { jobPrefix } from '../intake/job-prefix.js';
import type { RunningWork } from '../intake/running-work.js';
import type { JobRequests } from '../jobs/job-requests.js';
import type { JobStore } from '../jobs/job-store.js';
import { isOpenStage, isTerminal, type Job } from '../jobs/job.js';
import type { Scheduler } from '../schedule/scheduler.js';
import { isKeptForItsWebhook } from '../upkeep/overdue-webhook.js';
import { stageReport } from './stage-report.js';

export interface ConsumerDependencies {
  jobs: JobStore;
  requests: JobRequests;
  scheduler: Scheduler;
  admission: Admission;
  erasures: ErasureStore;
  ingestTask: IngestTask;
  running: RunningWork;
  media: MediaStore;
  bus: Pick<EventBus, 'erase'>;
  clock: Clock;
}

const GROUP = 'ingest';

const INGEST_RETRY: RetryPolicy = { maxAttempts: 3, initialDelayMs: 1000, maxDelayMs: 10_000 };

/** Jobs that come together have one look at their account's schedule. */
const JOB_EVENTS_TOGETHER = 32;

/** Far more than there are places: a task waits for its account's turn in the handler, where it is in nobody's way. */
const INGEST_TASKS_HELD = 1024;
/** As long as the topic keeps events: waiting counts, and fetching and decoding have limits of their own. */
const INGEST_TASK_MS = 7 * 24 * 60 * 60_000;

export function ingestConsumers(dependencies: ConsumerDependencies): Consumer[] {
  const { ingestTask, bus } = dependencies;
  return [
    jobConsumer(dependencies),
    logErasures(bus, PATIENT_RETRY),
    {
      group: GROUP,
      topic: 'parlance.ingest-tasks.v1',
      handlers: { 'ingest.requested': (delivery) => ingestTask.handle(delivery) },
      concurrency: INGEST_TASKS_HELD,
      deadlineMs: INGEST_TASK_MS,
      retry: INGEST_RETRY,
      giveUp: (event, error) => ingestTask.giveUp(event, error),
    },
    mediaConsumer(dependencies),
    chunkResultConsumer(dependencies),
    transcriptConsumer(dependencies),
    stageConsumer(dependencies),
    webhookConsumer(dependencies),
    erasureConsumer(dependencies),
  ];
}

/** Every process hears that a job has ended and stops what it does for it. */
export function ingestFollowers({ running }: ConsumerDependencies): Follower[] {
  const stop = ({ data }: { data: { jobId: string } }) => running.stop(data.jobId);
  return [{ topic: 'parlance.jobs.v1', handlers: { 'job.canceled': stop, 'job.deleted': stop, 'job.failed': stop } }];
}

/** Keeps the schedule in step with the jobs, and removes media that nothing needs any more. */
function jobConsumer(dependencies: ConsumerDependencies): Consumer {
  const { jobs, scheduler, admission } = dependencies;
  const ended = async ({ event }: { event: EventEnvelope<'job.completed' | 'job.failed' | 'job.canceled'> }) => {
    const { jobId, accountId } = event.data;
    const job = await jobs.get(jobId);
    await admission.settle(accountId, jobId, job);
    // After a retry that was faster than this event, only what the runs before it hold.
    if (job) await scheduler.remove(accountId, { jobId, run: isTerminal(job.status) ? job.run : job.run - 1 });
    if (job) await removeAudio(dependencies.media, job);
  };
  return {
    group: GROUP,
    topic: 'parlance.jobs.v1',
    retry: PATIENT_RETRY,
    concurrency: JOB_EVENTS_TOGETHER,
    handlers: {
      'job.created': ({ event }) => scheduler.fill(event.data.accountId),
      // A retry puts the job back in the queue; its earlier run may still hold a place that would count.
      'job.progressed': async ({ event }) => {
        const { jobId, accountId, status } = event.data;
        const job = status === common.JobStatus.JOB_STATUS_QUEUED ? await jobs.get(jobId) : undefined;
        if (job) await scheduler.remove(accountId, { jobId, run: job.run - 1 });
      },
      'job.completed': ended,
      'job.failed': ended,
      'job.canceled': ended,
      'job.deleted': ({ event }) => eraseJob(dependencies, event.data),
    },
  };
}

async function eraseJob(dependencies: ConsumerDependencies, deleted: { jobId: string; accountId: string; erasureId?: string | undefined }): Promise<void> {
  const { scheduler, admission, media, erasures, clock } = dependencies;
  const { jobId, accountId, erasureId } = deleted;
  await admission.settle(accountId, jobId, undefined);
  await scheduler.remove(accountId, { jobId, run: Number.MAX_SAFE_INTEGER });
  const count = await media.removePrefix(jobPrefix(accountId, jobId));
  if (erasureId !== undefined) await erasures.report(erasureId, { what: 'media', where: 'ingest', when: clock.now().toISOString(), count });
}

/** Decoded audio is needed by transcription and diarization, and by a retry of either; the source stays until the job is deleted. */
async function removeAudio(media: MediaStore, { id, accountId, status, stages }: Job): Promise<void> {
  const needed = status === 'completed' ? isOpenStage(stages.diarization) || stages.diarization.status === 'failed' : status !== 'canceled';
  if (!needed) await media.removePrefix(mediaKeys(accountId, id).audioPrefix);
}

function mediaConsumer({ jobs, scheduler }: ConsumerDependencies): Consumer {
  return {
    group: GROUP,
    topic: 'parlance.media.v1',
    retry: PATIENT_RETRY,
    handlers: {
      'media.ready': async ({ event }) => {
        const job = await jobs.get(event.data.jobId);
        if (job?.status === 'processing' && job.run === event.data.run) await scheduler.plan(job);
      },
    },
  };
}

function chunkResultConsumer({ jobs, scheduler }: ConsumerDependencies): Consumer {
  return {
    group: GROUP,
    topic: 'parlance.chunk-results.v1',
    retry: PATIENT_RETRY,
    handlers: {
      'chunk.transcribed': async ({ event }) => {
        const { jobId, accountId, run, index, total, warnings, ownSeconds } = event.data;
        await scheduler.finishChunk(accountId, { jobId, run, index });
        await jobs.apply(jobId, { type: 'chunk_done', run, index, total, warnings, ...(ownSeconds !== undefined && { ownSeconds }) });
      },
      'chunk.failed': async ({ event }) => {
        const { jobId, run, index, error = UNEXPLAINED } = event.data;
        await jobs.apply(jobId, { type: 'chunk_failed', run, index, error });
      },
    },
  };
}

function transcriptConsumer({ jobs }: ConsumerDependencies): Consumer {
  return {
    group: GROUP,
    topic: 'parlance.transcripts.v1',
    retry: PATIENT_RETRY,
    handlers: {
      'transcript.completed': async ({ event }) => {
        const { jobId, run, language, languageConfidence, engine, warnings } = event.data;
        const confidence = languageConfidence === undefined ? {} : { languageConfidence };
        await jobs.apply(jobId, { type: 'transcript_completed', run, language, ...confidence, engine, warnings });
      },
    },
  };
}

function stageConsumer({ jobs, media }: ConsumerDependencies): Consumer {
  return {
    group: GROUP,
    topic: 'parlance.stages.v1',
    retry: PATIENT_RETRY,
    handlers: {
      'stage.started': async ({ event }) => {
        const report = stageReport(event);
        if (report) await jobs.apply(event.data.jobId, report);
      },
      'stage.finished': async ({ event }) => {
        const report = stageReport(event);
        const job = report && (await jobs.apply(event.data.jobId, report));
        if (job?.status === 'completed') await removeAudio(media, job);
      },
    },
  };
}

/** The upkeep does the same, much later, when the webhook is never heard of. */
function webhookConsumer({ jobs, requests }: ConsumerDependencies): Consumer {
  return {
    group: GROUP,
    topic: 'parlance.webhooks.v1',
    retry: PATIENT_RETRY,
    handlers: {
      'webhook.settled': async ({ event }) => {
        const isDue = (current: Job) => isKeptForItsWebhook(current, event.data);
        const job = await jobs.get(event.data.jobId);
        if (job && isDue(job)) await requests.erase(job, isDue);
      },
    },
  };
}

function erasureConsumer({ erasures }: ConsumerDependencies): Consumer {
  return {
    group: GROUP,
    topic: 'parlance.erasures.v1',
    retry: PATIENT_RETRY,
    handlers: {
      'erasure.reported': async ({ event }) => {
        const { erasureId, what, where, count, erasedAt } = event.data;
        await erasures.report(erasureId, { what, where, when: erasedAt?.toISOString() ?? event.time, count });
      },
    },
  };
}

const UNEXPLAINED: common.Failure = { code: 'engine_failed', message: 'The engine gave no reason.', retryable: true };
