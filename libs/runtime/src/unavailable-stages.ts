import { common, type events } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { JobErasures } from './job-erasures.js';
import type { ServiceName } from './service-manifest.js';

/** A stage that has no engine here. */
export interface UnavailableStage {
  stage: common.Stage;
  /** Whether the job's options ask for it; search is for every job. */
  wanted(options: common.JobOptions | undefined): boolean;
  /** For the job's owner: what is missing and what it means for the result. */
  message: string;
}

/** That a stage was answered for, one a job, stage and run. */
interface StageReport extends Document {
  jobId: string;
}

export interface UnavailableStagesOptions {
  service: ServiceName;
  documents: DocumentDatabase;
  clock: Clock;
  stages: readonly UnavailableStage[];
  /** What the service would hold of a job, for the receipt of an erasure. */
  holds: string;
}

interface Occasion {
  jobId: string;
  accountId: string;
  run: number;
}

/**
 * The part of an add-on service that has no engine: it answers for its stages with `skipped` and the reason,
 * once a run, so that the job is not left waiting.
 */
export class UnavailableStages {
  private readonly reports: DocumentCollection<StageReport>;
  private readonly erasures: JobErasures;

  constructor(private readonly options: UnavailableStagesOptions) {
    const { service, documents, clock, holds } = options;
    this.reports = documents.collection<StageReport>({ name: 'stage_reports', indexes: [{ fields: ['jobId'] }] });
    const holdings = {
      what: holds,
      count: async () => 0,
      remove: async (jobId: string) => void (await this.reports.removeWhere({ jobId })),
    };
    this.erasures = new JobErasures(service, documents, holdings, clock);
  }

  /** The stages' input is there: media.ready or transcript.completed. */
  async inputReady(event: Occasion & { options?: common.JobOptions | undefined }): Promise<void> {
    for (const stage of this.options.stages) {
      if (stage.wanted(event.options)) await this.skip(event, stage);
    }
  }

  /** A retry asks for one stage, whatever the job's options were. */
  async requested(event: events.StageRequested): Promise<void> {
    const stage = this.options.stages.find(({ stage }) => stage === event.stage);
    if (stage) await this.skip(event, stage);
  }

  async jobDeleted(event: events.JobEvent): Promise<void> {
    await this.erasures.erase(event);
  }

  private async skip({ jobId, accountId, run }: Occasion, { stage, message }: UnavailableStage): Promise<void> {
    if (await this.erasures.has(jobId)) return;
    const id = `${jobId}/${stage}/${run}`;
    const status = common.StageStatus.STAGE_STATUS_SKIPPED;
    const error = { code: 'stage_unavailable', message, retryable: false };
    const data = { jobId, accountId, run, stage, status, error, warnings: [] };
    await this.reports.update(id, (current) => {
      if (current) return undefined;
      const createdAt = this.options.clock.now().toISOString();
      return { document: { id, createdAt, jobId }, events: [{ type: 'stage.finished', data }] };
    });
    // The erasure writes its tombstone, then removes; this writes, then looks: one of the two sees the other.
    if (await this.erasures.has(jobId)) await this.reports.removeWhere({ jobId });
  }
}
