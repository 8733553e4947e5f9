/**
 * Why a state does not allow an operation: the member `reason` of a problem with the code `invalid_state`. Within version 1 of the
 * API reasons are only added.
 */
export const STATE_REASONS = {
  not_ready: 'It is still being made. Ask again later, or wait for the event of its end.',
  not_requested: 'The job was created without this stage.',
  no_transcript: 'The job ended without a transcript.',
  no_media: 'The job has no media: its address could not be fetched, or it was made by a version that stored none.',
  channels_are_speakers: 'Each channel or file of the recording is a speaker of its transcript already.',
  stage_failed: 'The stage that makes it failed; `detail` says why.',
  stage_skipped: 'The stage that makes it had nothing to do, for instance because the recording has no speech.',
  stage_canceled: 'The job was canceled, or failed, before the stage that makes it ended.',
  already_terminal: 'The job has ended, so that it cannot be canceled.',
  still_running: 'The job, or one of its stages, is still in progress.',
  nothing_to_retry: 'The job was canceled, or none of its stages has failed.',
  failure_is_final: 'The job failed for a reason that another try does not change. `?force=true` retries it nevertheless.',
  limit_reached: 'There is the maximum number of them; `detail` has the number.',
  job_erased: 'The job of the call with this Idempotency-Key was deleted.',
  secret_shown_once: 'The first response to this Idempotency-Key contained a secret. Only the API key that made the call can read it again.',
  key_expired: 'The API key has expired.',
  key_outlives_caller: 'The new API key would be valid for longer than the calling key.',
  concurrent_change: 'Other calls are changing the same resource. Read it, and repeat the call.',
} as const satisfies Record<string, string>;

export type StateReason = keyof typeof STATE_REASONS;
