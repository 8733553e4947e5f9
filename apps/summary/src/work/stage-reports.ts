import { common, type NewEvent } from '@parlance/contracts';
import type { Provenance } from '../engine/summary-engine.js';
import type { WorkDocument } from './work-document.js';

const { StageStatus } = common;

const ENDED = {
  completed: StageStatus.STAGE_STATUS_COMPLETED,
  failed: StageStatus.STAGE_STATUS_FAILED,
  skipped: StageStatus.STAGE_STATUS_SKIPPED,
} as const;

/** How the job is told that a stage began and ended; nothing for work that is no stage. */
export class StageReports {
  constructor(
    private readonly stage: common.Stage | undefined,
    private readonly engine: string,
  ) {}

  /** Whether the job waits for it, and cancels it. */
  get isStage(): boolean {
    return this.stage !== undefined;
  }

  started({ jobId, accountId }: WorkDocument<unknown>, run: number): NewEvent[] {
    if (this.stage === undefined) return [];
    const status = StageStatus.STAGE_STATUS_RUNNING;
    return [{ type: 'stage.started', data: { jobId, accountId, run, stage: this.stage, status, error: undefined, engine: this.engine, warnings: [] } }];
  }

  /** With the warnings of the result, the items that were dropped among them. */
  ended({ jobId, accountId, status, error, result }: WorkDocument<Provenance>, run: number): NewEvent[] {
    if (this.stage === undefined || !(status in ENDED)) return [];
    const data = {
      jobId,
      accountId,
      run,
      stage: this.stage,
      status: ENDED[status as keyof typeof ENDED],
      error: status === 'completed' ? undefined : error,
      engine: result?.engine ?? this.engine,
      warnings: result?.warnings ?? [],
    };
    return [{ type: 'stage.finished', data }];
  }
}
