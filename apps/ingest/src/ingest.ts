import { availableParallelism } from 'node:os';
import { FairPlaces, type Consumer, type Follower } from '@parlance/event-bus';
import type { ServiceContext } from '@parlance/runtime';
import type { ingestConfig } from './config/ingest-config.js';
import { ingestConsumers, ingestFollowers, type ConsumerDependencies } from './consumers/ingest-consumers.js';
import { Admission } from './admission/admission.js';
import { ErasureStore } from './erasure/erasure-store.js';
import { IngestTask } from './intake/ingest-task.js';
import type { FreeTime } from './intake/free-time.js';
import type { MediaIntake } from './intake/media-intake.js';
import { RunningWork } from './intake/running-work.js';
import { JobRequests } from './jobs/job-requests.js';
import { JobStore, type JobObserver } from './jobs/job-store.js';
import { logJobs, measureJobs, measureQueue } from './observability/job-metrics.js';
import { Scheduler } from './schedule/scheduler.js';
import { AwakeTime } from './upkeep/awake-time.js';
import { Upkeep } from './upkeep/upkeep.js';

export const INGEST = Symbol('Ingest');
export const LOG = Symbol('Logger');

/** The service put together, without Nest. */
export interface Ingest {
  requests: JobRequests;
  erasures: ErasureStore;
  upkeep: Upkeep;
  consumers: Consumer[];
  followers: Follower[];
}

export type IngestContext = Pick<
  ServiceContext<typeof ingestConfig>,
  'config' | 'documents' | 'media' | 'clock' | 'log' | 'metrics'
> &
  Pick<ConsumerDependencies, 'bus'>;

const UPKEEP_INTERVAL_MS = 60_000;
const MINUTE_MS = 60_000;

export function createIngest(context: IngestContext, intake: MediaIntake, freeTime: FreeTime): Ingest {
  const { config, documents, media, bus, clock, log, metrics } = context;
  const observers = [logJobs(log), measureJobs(metrics)];
  const observe: JobObserver = (change) => observers.forEach((observer) => observer(change));
  const jobs = new JobStore(documents, clock, observe);
  measureQueue(metrics, jobs, clock);
  const limits = { maxActive: config.JOBS_ACTIVE_PER_ACCOUNT, window: config.CHUNK_WINDOW_PER_ACCOUNT ?? Math.max(4, 2 * availableParallelism()) };
  const scheduler = new Scheduler(documents, jobs, limits, clock);
  const erasures = new ErasureStore(documents, clock);
  const admission = new Admission(documents, jobs, config.JOBS_IN_FLIGHT_PER_ACCOUNT, clock);
  const requests = new JobRequests(jobs, erasures, admission, clock);
  const running = new RunningWork();
  const places = { fetch: new FairPlaces(config.FETCH_CONCURRENCY), prepare: new FairPlaces(config.DECODE_CONCURRENCY) };
  const prepareMs = config.DECODE_TIMEOUT_MINUTES * MINUTE_MS;
  const ingestTask = new IngestTask({ jobs, scheduler, media, intake, freeTime, running, places, prepareMs, log });
  const deadlines = { stageMs: config.STAGE_TIMEOUT_MINUTES * MINUTE_MS, stallMs: config.JOB_STALL_HOURS * 60 * MINUTE_MS };
  const awakeTime = new AwakeTime(documents, 3 * UPKEEP_INTERVAL_MS);
  const wiring: ConsumerDependencies = {
    jobs,
    requests,
    scheduler,
    admission,
    erasures,
    ingestTask,
    running,
    media,
    bus,
    clock,
  };
  return {
    requests,
    erasures,
    upkeep: new Upkeep({ jobs, requests, scheduler, awakeTime, deadlines, clock, log, intervalMs: UPKEEP_INTERVAL_MS }),
    consumers: ingestConsumers(wiring),
    followers: ingestFollowers(wiring),
  };
}
