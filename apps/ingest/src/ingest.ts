import type { Consumer } from '@parlance/event-bus';
import type { ServiceContext } from '@parlance/runtime';
import type { TaskWorker } from '@parlance/task-queue';
import type { ingestConfig } from './config/ingest-config.js';
import { ingestConsumers, type ConsumerDependencies } from './consumers/ingest-consumers.js';
import { Admission } from './jobs/admission/admission.js';
import { ErasureStore } from './jobs/erasure/erasure-store.js';
import { IngestQueues } from './jobs/schedule/ingest-queues.js';
import { IngestTasks } from './media/intake/ingest-tasks.js';
import type { FreeTime } from './media/intake/free-time.js';
import type { MediaIntake } from './media/intake/media-intake.js';
import { JobRequests } from './jobs/job-requests.js';
import { JobStore, type JobObserver } from './jobs/state/job-store.js';
import { logJobs, measureJobs, measureQueue } from './jobs/job-metrics.js';
import { Scheduler } from './jobs/schedule/scheduler.js';
import { AwakeTime } from './jobs/upkeep/awake-time.js';
import { ExpiredMedia } from './jobs/upkeep/expired-media.js';
import { Upkeep } from './jobs/upkeep/upkeep.js';

export const INGEST = Symbol('Ingest');
export const LOG = Symbol('Logger');

/** The service put together, without Nest. */
export interface Ingest {
  requests: JobRequests;
  erasures: ErasureStore;
  upkeep: Upkeep;
  consumers: Consumer[];
  workers: TaskWorker[];
}

export type IngestContext = Pick<
  ServiceContext<typeof ingestConfig>,
  'config' | 'documents' | 'media' | 'tasks' | 'clock' | 'log' | 'metrics'
> &
  Pick<ConsumerDependencies, 'bus'>;

const UPKEEP_INTERVAL_MS = 60_000;
const MINUTE_MS = 60_000;

export function createIngest(context: IngestContext, intake: MediaIntake, freeTime: FreeTime): Ingest {
  const { config, documents, media, tasks, bus, clock, log, metrics } = context;
  const observers = [logJobs(log), measureJobs(metrics)];
  const observe: JobObserver = (change) => observers.forEach((observer) => observer(change));
  const jobs = new JobStore(documents, clock, observe);
  measureQueue(metrics, jobs, clock);
  const limits = { maxActive: config.JOBS_ACTIVE_PER_ACCOUNT };
  const queues = new IngestQueues(tasks);
  const scheduler = new Scheduler(documents, jobs, queues, limits, clock);
  const erasures = new ErasureStore(documents, clock);
  const admission = new Admission(documents, jobs, config.JOBS_IN_FLIGHT_PER_ACCOUNT, clock);
  const requests = new JobRequests(jobs, erasures, admission, clock);
  const places = { fetch: config.FETCH_CONCURRENCY, decode: config.DECODE_CONCURRENCY };
  const times = { fetchMs: config.MEDIA_FETCH_SECONDS * 1000, decodeMs: config.DECODE_TIMEOUT_MINUTES * MINUTE_MS };
  const ingestTasks = new IngestTasks({ jobs, scheduler, queues, media, intake, freeTime, places, limits: times, log });
  const deadlines = { stageMs: config.STAGE_TIMEOUT_MINUTES * MINUTE_MS, stallMs: config.JOB_STALL_HOURS * 60 * MINUTE_MS };
  const awakeTime = new AwakeTime(documents, 3 * UPKEEP_INTERVAL_MS);
  const expiredMedia = new ExpiredMedia(jobs, media);
  const wiring: ConsumerDependencies = {
    jobs,
    requests,
    scheduler,
    admission,
    erasures,
    queues,
    media,
    expiredMedia,
    bus,
    clock,
    erasureLog: config.ERASURE_LOG,
  };
  return {
    requests,
    erasures,
    upkeep: new Upkeep({ jobs, requests, erasures, scheduler, awakeTime, expiredMedia, deadlines, clock, log, intervalMs: UPKEEP_INTERVAL_MS }),
    consumers: ingestConsumers(wiring),
    workers: ingestTasks.workers() as TaskWorker[],
  };
}
