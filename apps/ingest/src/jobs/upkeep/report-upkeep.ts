import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, CONFIG, LOGGER } from '@parlance/runtime';
import type { IngestConfig } from '../../ingest.config.js';
import { EngineLimit } from '../../media/intake/engine-limit.js';
import { ingestFailure } from '../../media/intake/ingest-attempts.js';
import { finalsOf } from '../state/job-source.js';
import { JobStore } from '../state/job-store.js';
import type { Job } from '../state/job.js';
import { requestAgain } from '../state/requests-again.js';
import { AwakeTime } from './awake-time.js';
import { MissingEngines, type EngineRound } from './missing-engines.js';
import { overdue, unreported, type Deadlines } from './overdue.js';
import { about, attempt, type UpkeepStep } from './upkeep-step.js';

const MINUTE_MS = 60_000;

/** Milliseconds without a report after which the request of a stage is published again. With the time between two rounds, this is within 5 minutes. */
export const QUIET_MS = 4 * MINUTE_MS;

/** Ends jobs and stages whose reports are overdue, and publishes requests again that may be lost. */
@Injectable()
export class ReportUpkeep implements UpkeepStep {
  private readonly deadlines: Deadlines;
  private readonly engines: MissingEngines;

  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(AwakeTime) private readonly awakeTime: AwakeTime,
    @Inject(EngineLimit) engines: Pick<EngineLimit, 'find'>,
    @Inject(CONFIG) config: Pick<IngestConfig, 'STAGE_TIMEOUT_MINUTES' | 'JOB_STALL_HOURS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.engines = new MissingEngines(engines);
    this.deadlines = { stageMs: config.STAGE_TIMEOUT_MINUTES * MINUTE_MS, stallMs: config.JOB_STALL_HOURS * 60 * MINUTE_MS };
  }

  async run(signal: AbortSignal): Promise<void> {
    const parts = { log: this.log, signal };
    const now = this.clock.now().getTime();
    await attempt(parts, {}, () => this.endOverdue(now, signal));
    await attempt(parts, {}, () => this.requestUnreported(now, signal));
  }

  private async endOverdue(now: number, signal: AbortSignal): Promise<void> {
    const awakeSince = await this.awakeTime.since(now);
    for await (const job of this.unchangedSince(now - Math.min(this.deadlines.stageMs, this.deadlines.stallMs))) {
      for (const input of overdue(job, { now, awakeSince }, this.deadlines)) {
        this.log.warn({ ...about(job), input: input.type }, 'stage timed out: no event received');
        await attempt({ log: this.log, signal }, about(job), () => this.jobs.apply(job.id, input));
      }
    }
  }

  private async requestUnreported(now: number, signal: AbortSignal): Promise<void> {
    const requests = (job: Job) => unreported(job, now, QUIET_MS).flatMap((stage) => requestAgain(job, stage));
    const engines = this.engines.round();
    for await (const job of this.unchangedSince(now - QUIET_MS + 1)) {
      if (await this.lacksEngine(job, engines, { now, signal })) continue;
      if (requests(job).length > 0) await attempt({ log: this.log, signal }, about(job), () => this.jobs.ask(job.id, requests));
    }
  }

  /** Chunks for an engine that is not configured any more have no worker: the job fails once two rounds have found that. */
  private async lacksEngine(job: Job, engines: EngineRound, { now, signal }: { now: number; signal: AbortSignal }): Promise<boolean> {
    const { model } = job.options;
    if (model === undefined || finalsOf(job.source) !== undefined || !unreported(job, now, QUIET_MS).includes('transcription')) return false;
    const missing = await engines.missing(model);
    if (!missing) return false;
    if (missing.isConfirmed) {
      this.log.warn({ ...about(job), model }, 'the speech engine of the job is not configured any more');
      await attempt({ log: this.log, signal }, about(job), () => this.jobs.apply(job.id, { type: 'stalled', run: job.run, error: ingestFailure(missing.error) }));
    }
    return true;
  }

  private unchangedSince(time: number): AsyncGenerator<Job> {
    return this.jobs.all({ where: { open: true }, range: { field: 'updatedAt', lt: new Date(time).toISOString() }, orderBy: 'updatedAt', direction: 'ascending' });
  }
}
