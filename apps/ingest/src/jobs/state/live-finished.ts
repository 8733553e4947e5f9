import { common } from '@parlance/contracts';
import { fail, invalidState, warn, type Draft, type Input } from './job-draft.js';
import { isLiveOpen, isTerminal } from './job.js';
import { gapWarnings } from './live-gaps.js';
import { ingestRequested } from './requests-again.js';

const NOTHING_RECEIVED: common.Failure = { code: 'media_empty', message: 'The live session ended before any audio was received.', retryable: false };

const SESSION_LOST: common.Failure = { code: 'internal', message: 'The live session of the job does not exist any more.', retryable: false };

/** The transcript is not what the session's client has read. */
const RETRANSCRIBED: common.Warning = { code: 'live_retranscribed', message: 'The finals of the live session could not be completed, so its recording was transcribed as a file. The transcript may differ from the finals that were sent.' };

/** Audio that was recognized as it came, which the job is billed also when it ends without its session. */
export function liveAudioTaken({ job }: Draft, { milliseconds }: Input<'live_audio_taken'>): boolean {
  if (!isLiveOpen(job) || milliseconds <= (job.decodedMilliseconds ?? 0)) return false;
  job.decodedMilliseconds = milliseconds;
  return true;
}

/** Ends a job that no session can finish. */
export function liveLost(draft: Draft, now: string): boolean {
  return isLiveOpen(draft.job) && fail(draft, 'ingest', SESSION_LOST, now);
}

/** From here on the job is handled as one of an upload. @throws AppError invalid_state when it was canceled before */
export function liveFinished(draft: Draft, { pieces, gaps, finalsKey }: Input<'live_finished'>, now: string): boolean {
  const { job, announcements, requests } = draft;
  const { source } = job;
  if (source.kind !== 'live' || source.finishedAt !== undefined) return false;
  if (isTerminal(job.status)) throw invalidState('already_terminal', `The job is ${job.status}; its live session cannot be finished.`);
  job.source = { ...source, finishedAt: now, ...(finalsKey !== '' && { finalsKey }) };
  warn(job, gapWarnings(gaps));
  if (pieces === 0) return fail(draft, 'ingest', NOTHING_RECEIVED, now);
  if (finalsKey === '' && source.finalPass !== common.LiveFinalPass.LIVE_FINAL_PASS_SAME) warn(job, [RETRANSCRIBED]);
  announcements.push({ type: 'job.progressed' });
  requests.push(ingestRequested(job));
  return true;
}
