import { common } from '@parlance/contracts';
import type { UnavailableStage } from '@parlance/runtime';

/** The stages this service answers for; every transcript is meant to be searchable, so that no option asks for it. */
export const STAGES: readonly UnavailableStage[] = [
  {
    stage: common.Stage.STAGE_SEARCH,
    wanted: () => true,
    message: 'This server has no search index; the transcript cannot be searched.',
  },
];
