import { Inject, Injectable, type Provider } from '@nestjs/common';
import { asyncGauge, type Clock, type Logger, type Metrics } from '@parlance/platform';
import { CLOCK, LOGGER, METRICS } from '@parlance/runtime';
import { Counter, Histogram } from 'prom-client';
import { JOB_OBSERVER, JobStore, type JobObserver } from './state/job-store.js';
import { isOpenStage, isTerminal, STAGES, type Job } from './state/job.js';

const STAGE_SECONDS = [0.1, 1, 5, 15, 60, 300, 900, 3600, 4 * 3600];

/** Logs and counts what is stored about jobs. */
export const jobObserver: Provider = {
  provide: JOB_OBSERVER,
  useFactory: (log: Logger, metrics: Metrics): JobObserver => {
    const observers = [logJobs(log), measureJobs(metrics)];
    return (change) => observers.forEach((observer) => observer(change));
  },
  inject: [LOGGER, METRICS],
};

/** Counts jobs that ended and stages' durations as they happen. */
function measureJobs(metrics: Metrics): JobObserver {
  const ended = new Counter({
    name: 'parlance_jobs_ended_total',
    help: 'Runs of jobs that reached a terminal state',
    labelNames: ['status'],
    registers: [metrics],
  });
  const stageSeconds = new Histogram({
    name: 'parlance_stage_duration_seconds',
    help: 'From the start of a stage to its end',
    labelNames: ['stage', 'status'],
    buckets: STAGE_SECONDS,
    registers: [metrics],
  });
  return ({ before, after }) => {
    if (before?.status !== after.status && isTerminal(after.status)) ended.inc({ status: after.status });
    for (const stage of STAGES) {
      const { status, startedAt, completedAt } = after.stages[stage];
      const hasEnded = before !== undefined && isOpenStage(before.stages[stage]) && !isOpenStage(after.stages[stage]);
      // A live session lasts as long as its speakers talk.
      if (after.source.kind === 'live' && stage === 'ingest') continue;
      if (!hasEnded || startedAt === undefined || completedAt === undefined) continue;
      stageSeconds.observe({ stage, status }, (Date.parse(completedAt) - Date.parse(startedAt)) / 1000);
    }
  };
}

/** Reads how many jobs wait or are processed, and how long the oldest has waited, when the metrics are read. */
@Injectable()
export class JobQueueMetrics {
  constructor(@Inject(METRICS) metrics: Metrics, @Inject(JobStore) jobs: JobStore, @Inject(CLOCK) clock: Clock) {
    measureQueue(metrics, jobs, clock);
  }
}

function measureQueue(metrics: Metrics, jobs: JobStore, clock: Clock): void {
  asyncGauge(metrics, { name: 'parlance_jobs', help: 'Jobs that have not ended, by status', labelNames: ['status'] }, async (gauge) => {
    for (const status of ['queued', 'processing'] as const) gauge.set({ status }, await jobs.count(status));
  });
  asyncGauge(metrics, { name: 'parlance_queue_age_seconds', help: 'How long the oldest queued job has waited' }, async (gauge) => {
    const { jobs: oldest } = await jobs.find({ where: { status: 'queued' }, direction: 'ascending', limit: 1 });
    gauge.set(oldest[0] ? Math.max(0, (clock.now().getTime() - Date.parse(oldest[0].createdAt)) / 1000) : 0);
  });
}

/** A line for each event of a job; progress is for debugging. */
function logJobs(log: Logger): JobObserver {
  return ({ after, events }) => {
    for (const { type } of events) {
      if (!type.startsWith('job.')) continue;
      const level = type === 'job.progressed' ? 'debug' : 'info';
      log[level]({ ...fieldsOf(after), event: type }, type.replace('.', ' '));
    }
  };
}

const fieldsOf = ({ id, accountId, run, revision, progress, error }: Job) => ({
  job_id: id,
  account_id: accountId,
  run,
  revision,
  percent: progress.percent,
  ...(error && { code: error.code }),
});
