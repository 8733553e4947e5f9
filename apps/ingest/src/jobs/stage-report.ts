import { common, type EventData } from '@parlance/contracts';
import { stageMessage } from './state/job-events.js';
import type { JobInput } from './state/job-input.js';
import { STAGES } from './state/job.js';

type StageInput = Extract<JobInput, { type: 'stage_started' | 'stage_finished' }>;

const FINISHED: Partial<Record<common.StageStatus, 'completed' | 'failed' | 'skipped'>> = {
  [common.StageStatus.STAGE_STATUS_COMPLETED]: 'completed',
  [common.StageStatus.STAGE_STATUS_FAILED]: 'failed',
  [common.StageStatus.STAGE_STATUS_SKIPPED]: 'skipped',
};

/** What a stage's event tells the job; undefined for a stage or status that this version does not know. */
export function stageReport({ type, time, data }: { type: 'stage.started' | 'stage.finished'; time: string; data: EventData<'stage.finished'> }): StageInput | undefined {
  const stage = STAGES.find((name) => stageMessage(name) === data.stage);
  if (stage === undefined) return undefined;
  const { run, error, warnings } = data;
  const engine = data.engine === undefined ? {} : { engine: data.engine };
  if (type === 'stage.started') return { type: 'stage_started', run, stage, at: time, isWaiting: data.status === common.StageStatus.STAGE_STATUS_PENDING, ...engine };
  const status = FINISHED[data.status];
  return status && { type: 'stage_finished', run, stage, status, ...engine, ...(error && { error }), warnings };
}
