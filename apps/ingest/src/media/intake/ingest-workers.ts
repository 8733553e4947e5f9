import { Inject, Injectable } from '@nestjs/common';
import { toAppError, type RetryPolicy } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { JobRun } from '@parlance/stage';
import type { TaskWorker } from '@parlance/task-queue';
import type { IngestConfig } from '../../ingest.config.js';
import { DECODE_QUEUE, FETCH_QUEUE } from '../../jobs/schedule/ingest-queues.js';
import type { Job } from '../../jobs/state/job.js';
import { IngestAttempts, isFinalIngestFailure } from './ingest-attempts.js';
import { IngestSteps } from './ingest-steps.js';

const RETRY: RetryPolicy = { maxAttempts: 3, initialDelayMs: 1000, maxDelayMs: 10_000 };

/** Milliseconds around the work itself. The limits of the work expire first, and their errors say what took too long. */
const OVERHEAD_MS = 60_000;

/** Milliseconds after which a download is slow. */
const SLOW_AFTER_MS = 5000;

type WorkerConfig = Pick<IngestConfig, 'FETCH_CONCURRENCY' | 'MEDIA_FETCH_SECONDS' | 'DECODE_CONCURRENCY' | 'DECODE_TIMEOUT_MINUTES'>;

interface WorkerOptions {
  queue: string;
  capacity: number;
  /** Milliseconds that the work may take once it has begun. */
  limitMs: number;
  step: (job: Job, signal: AbortSignal) => Promise<void>;
}

/** Works on the two queues of ingest. */
@Injectable()
export class IngestWorkers {
  constructor(
    @Inject(CONFIG) private readonly config: WorkerConfig,
    @Inject(IngestAttempts) private readonly attempts: IngestAttempts,
    @Inject(IngestSteps) private readonly steps: IngestSteps,
  ) {}

  workers(): TaskWorker<JobRun>[] {
    const { FETCH_CONCURRENCY, MEDIA_FETCH_SECONDS, DECODE_CONCURRENCY, DECODE_TIMEOUT_MINUTES } = this.config;
    return [
      { ...this.worker({ queue: FETCH_QUEUE, capacity: FETCH_CONCURRENCY, limitMs: MEDIA_FETCH_SECONDS * 1000, step: (job, signal) => this.steps.fetch(job, signal) }), ...sharesOfFetching(FETCH_CONCURRENCY) },
      this.worker({ queue: DECODE_QUEUE, capacity: DECODE_CONCURRENCY, limitMs: DECODE_TIMEOUT_MINUTES * 60_000, step: (job, signal) => this.steps.prepare(job, signal) }),
    ];
  }

  /** The queue shares the places between the accounts; one that is alone gets all of them. */
  private worker({ queue, capacity, limitMs, step }: WorkerOptions): TaskWorker<JobRun> {
    return {
      queue,
      capacity,
      deadlineMs: limitMs + OVERHEAD_MS,
      retry: RETRY,
      isFinal: isFinalIngestFailure,
      perform: ({ payload: run }, { signal }) => this.attempts.attempt(run, (job) => step(job, signal)),
      giveUp: async ({ payload: run }, error) => {
        await this.attempts.fail(run, toAppError(error));
        return 'settled';
      },
    };
  }
}

/**
 * A media server that stalls holds a download for minutes: a slow download leaves its place to another one. No account has more
 * than `capacity` downloads, so that those of one never take the room of the others.
 */
const sharesOfFetching = (capacity: number): Pick<TaskWorker<JobRun>, 'slow' | 'limits'> => ({
  slow: { afterMs: SLOW_AFTER_MS, capacity: 2 * capacity },
  limits: [{ nameOf: ({ accountId }) => accountId, part: 0.5, min: capacity }],
});
