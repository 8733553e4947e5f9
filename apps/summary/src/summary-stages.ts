import { common } from '@parlance/contracts';
import type { UnavailableStage } from '@parlance/runtime';

/** The stages this service answers for. */
export const STAGES: readonly UnavailableStage[] = [
  {
    stage: common.Stage.STAGE_SUMMARY,
    wanted: (options) => options?.summary?.enabled ?? false,
    message: 'This server has no engine that summarises; there is no summary.',
  },
  {
    stage: common.Stage.STAGE_HIGHLIGHTS,
    wanted: (options) => options?.highlights ?? false,
    message: 'This server has no engine that finds highlights; there are none.',
  },
];
