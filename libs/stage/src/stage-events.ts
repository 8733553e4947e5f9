import { common, type NewEvent } from '@parlance/contracts';
import type { StageOutcome } from './stage-record.js';
import type { JobRun, StageDefinition } from './stage.js';

const { StageStatus } = common;

const STATUS = {
  completed: StageStatus.STAGE_STATUS_COMPLETED,
  skipped: StageStatus.STAGE_STATUS_SKIPPED,
  failed: StageStatus.STAGE_STATUS_FAILED,
} as const;

type Named = Pick<StageDefinition, 'stage' | 'engine'>;

/** @param isWaiting whether a try failed and the next one has not begun: that time does not count towards the deadline of the stage */
export const stageStarted = ({ stage, engine }: Named, run: JobRun, isWaiting = false): NewEvent => ({
  type: 'stage.started',
  data: { ...run, stage, status: isWaiting ? StageStatus.STAGE_STATUS_PENDING : StageStatus.STAGE_STATUS_RUNNING, error: undefined, engine, warnings: [] },
});

export const stageFinished = ({ stage, engine }: Named, run: JobRun, outcome: StageOutcome): NewEvent => ({
  type: 'stage.finished',
  data: { ...run, stage, status: STATUS[outcome.status], error: outcome.error, engine: outcome.engine ?? engine, warnings: outcome.warnings ?? [] },
});
