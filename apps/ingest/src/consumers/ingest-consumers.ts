import { common, type events } from '@parlance/contracts';
import { PATIENT_RETRY, type Consumer, type EventBus, type EventEnvelope } from '@parlance/event-bus';
import type { Clock } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import type { Admission } from '../jobs/admission/admission.js';
import { appendErasure } from '../jobs/erasure/erasure-lines.js';
import type { ErasureStore } from '../jobs/erasure/erasure-store.js';
import { logErasures } from '../jobs/erasure/log-erasures.js';
import { DECODE_QUEUE, type IngestQueues } from '../jobs/schedule/ingest-queues.js';
import { mediaKeys } from '../media/index.js';
import { jobPrefix } from '../media/intake/job-prefix.js';
import type { JobRequests } from '../jobs/job-requests.js';
import type { JobStore } from '../jobs/state/job-store.js';
import { isAwaitingMedia, isOpenStage, isTerminal, type Job } from '../jobs/state/job.js';
import { isMediaExpired } from '../jobs/state/media-retention.js';
import type { Scheduler } from '../jobs/schedule/scheduler.js';
import type { ExpiredMedia } from '../jobs/upkeep/expired-media.js';
import { isKeptForItsWebhook } from '../jobs/upkeep/overdue-webhook.js';
import { stageReport } from '../jobs/stage-report.js';

export interface ConsumerDependencies {
  jobs: JobStore;
  requests: JobRequests;
  scheduler: Scheduler;
  admission: Admission;
  erasures: ErasureStore;
  queues: IngestQueues;
  media: MediaStore;
  expiredMedia: ExpiredMedia;
  bus: Pick<EventBus, 'erase'>;
  clock: Clock;
  /** ERASURE_LOG. */
  erasureLog?: string | undefined;
}

const GROUP = 'ingest';

/** Jobs that come together have one look at their account's schedule. */
const JOB_EVENTS_TOGETHER = 32;

export function ingestConsumers(dependencies: ConsumerDependencies): Consumer[] {
  return [
    jobConsumer(dependencies),
    logErasures(dependencies.bus, PATIENT_RETRY),
    requestConsumer(dependencies),
    chunkResultConsumer(dependencies),
    transcriptConsumer(dependencies),
    stageConsumer(dependencies),
    webhookConsumer(dependencies),
    erasureConsumer(dependencies),
  ];
}

/** The version before requested ingest by events: they become tasks. */
const requestConsumer = ({ jobs, queues }: ConsumerDependencies): Consumer => ({
  group: GROUP,
  topic: 'parlance.ingest-tasks.v1',
  retry: PATIENT_RETRY,
  handlers: {
    'ingest.requested': async ({ event }) => {
      const job = await jobs.get(event.data.jobId);
      // Of a job that is gone, a worker removes what was left of it.
      if (job?.run !== event.data.run) await queues.add(DECODE_QUEUE, event.data);
      else if (isAwaitingMedia(job)) await queues.addJobs([job]);
    },
  },
});

/** Keeps the schedule in step with the jobs, and removes media that nothing needs any more. */
function jobConsumer(dependencies: ConsumerDependencies): Consumer {
  const { jobs, queues, scheduler, admission } = dependencies;
  const ended = async ({ event }: { event: EventEnvelope<'job.completed' | 'job.failed' | 'job.canceled'> }) => {
    const { jobId, accountId, run } = event.data;
    // Before the job is read: a task that is added from here on finds that it has ended.
    if (run !== undefined) await queues.remove({ jobId, run });
    const job = await jobs.get(jobId);
    await admission.settle(accountId, jobId, job);
    // After a retry that was faster than this event, only what the runs before it hold.
    if (job) await scheduler.remove(accountId, { jobId, run: isTerminal(job.status) ? job.run : job.run - 1 });
    if (job) await removeAudio(dependencies.media, job);
    if (job && isMediaExpired(job, dependencies.clock.now().toISOString())) await dependencies.expiredMedia.erase(job);
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

async function eraseJob(dependencies: ConsumerDependencies, deleted: events.JobEvent): Promise<void> {
  const { queues, scheduler, admission, media, erasures, clock, erasureLog } = dependencies;
  const { jobId, accountId, erasureId, run } = deleted;
  if (run !== undefined) await queues.remove({ jobId, run });
  await admission.settle(accountId, jobId, undefined);
  await scheduler.remove(accountId, { jobId, run: Number.MAX_SAFE_INTEGER });
  const count = await media.removePrefix(jobPrefix(accountId, jobId));
  // Before the report: an erasure that is reported as complete can be replayed after a restore.
  if (erasureLog !== undefined) await appendErasure(erasureLog, { jobId, accountId, erasedAt: clock.now().toISOString() });
  if (erasureId !== undefined) await erasures.report(erasureId, { what: 'media', where: 'ingest', when: clock.now().toISOString(), count });
}

/** Decoded audio is needed by transcription and diarization, and by a retry of either; the source stays until the job is deleted. */
async function removeAudio(media: MediaStore, { id, accountId, status, stages }: Job): Promise<void> {
  const needed = status === 'completed' ? isOpenStage(stages.diarization) || stages.diarization.status === 'failed' : status !== 'canceled';
  if (!needed) await media.removePrefix(mediaKeys(accountId, id).audioPrefix);
}

function chunkResultConsumer({ jobs }: ConsumerDependencies): Consumer {
  return {
    group: GROUP,
    topic: 'parlance.chunk-results.v1',
    retry: PATIENT_RETRY,
    handlers: {
      'chunk.transcribed': async ({ event }) => {
        const { jobId, run, index, total, warnings, ownSeconds } = event.data;
        await jobs.apply(jobId, { type: 'chunk_done', run, index, total, warnings, ...(ownSeconds !== undefined && { ownSeconds }) });
      },
      'chunk.failed': async ({ event }) => {
        const { jobId, run, index, error = UNEXPLAINED } = event.data;
        await jobs.apply(jobId, { type: 'chunk_failed', run, index, error });
      },
    },
  };
}

function transcriptConsumer({ jobs, scheduler }: ConsumerDependencies): Consumer {
  return {
    group: GROUP,
    topic: 'parlance.transcripts.v1',
    retry: PATIENT_RETRY,
    handlers: {
      'transcript.completed': async ({ event }) => {
        const { jobId, accountId, run, language, languageConfidence, engine, warnings } = event.data;
        const confidence = languageConfidence === undefined ? {} : { languageConfidence };
        await jobs.apply(jobId, { type: 'transcript_completed', run, language, ...confidence, engine, warnings });
        await scheduler.remove(accountId, { jobId, run });
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

const UNEXPLAINED: common.Failure = { code: 'engine_failed', message: 'The engine reported no reason.', retryable: true };
