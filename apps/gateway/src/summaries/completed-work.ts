import { type common, type ingest, STAGE, STAGE_STATUS, type summary } from '@parlance/contracts';
import { AppError, toAppError, type StateReason } from '@parlance/platform';
import { statusOfWork } from './summary-json.js';

const TEXTS = {
  summary: { subject: 'The summary is', none: 'a summary' },
  highlights: { subject: 'The highlights are', none: 'highlights' },
  chapters: { subject: 'The chapters are', none: 'chapters' },
  entities: { subject: 'The entities are', none: 'entities' },
} as const;

/** @throws AppError invalid_state that says why there is none, and whether one may come */
export function completed<Work extends Pick<summary.Summary, 'status' | 'error'>>(work: Work | undefined, job: ingest.Job, stage: keyof typeof TEXTS): Work {
  if (work && statusOfWork(work.status) === 'completed') return work;
  const state = job.stages.find((each) => each.stage === STAGE[stage]);
  const isOpen = state?.status === STAGE_STATUS.pending || state?.status === STAGE_STATUS.running;
  const { subject, none } = TEXTS[stage];
  const reason = state?.error?.message ?? work?.error?.message;
  const message = isOpen ? `${subject} not ready yet.` : `The job ended without ${none}${reason === undefined ? '.' : `: ${reason}`}`;
  throw new AppError({ kind: 'conflict', code: 'invalid_state', reason: isOpen ? 'not_ready' : reasonWithout(state), message, retryable: isOpen });
}

/** Why there will be none: how the stage that would have made it ended. */
function reasonWithout(state: common.StageState | undefined): StateReason {
  if (state?.status === STAGE_STATUS.failed) return 'stage_failed';
  if (state?.status === STAGE_STATUS.canceled) return 'stage_canceled';
  return state?.error ? 'stage_skipped' : 'not_requested';
}

export const orNone = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (toAppError(error).kind === 'not_found') return undefined;
    throw error;
  });
