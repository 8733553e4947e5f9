import { common } from '@parlance/contracts';
import type { UnavailableStage } from '@parlance/runtime';

/** The stages this service answers for. */
export const STAGES: readonly UnavailableStage[] = [
  {
    stage: common.Stage.STAGE_DIARIZATION,
    wanted: (options) => options?.diarization?.enabled ?? false,
    message: 'This server has no engine that tells speakers apart; the transcript is without speakers.',
  },
];
