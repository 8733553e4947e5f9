import { requireChangeable } from '../../accounts/legal-hold.js';
import type { Draft, Input } from './job-draft.js';

/** Takes the place of a hold before. @throws AppError legal_hold when that is an operator's, and this one is not */
export function setHold({ job, announcements }: Draft, { hold: { reason, ...hold } }: Input<'hold'>, now: string): boolean {
  requireChangeable(job.hold, hold.byOperator === true, now);
  job.hold = { since: now, ...hold };
  job.held = 'yes';
  job.holdReason = reason;
  announcements.push({ type: 'job.progressed' });
  return true;
}

/** @throws AppError legal_hold when the hold is an operator's, and the caller is none */
export function liftHold({ job, announcements }: Draft, { byOperator }: Input<'lift_hold'>, now: string): boolean {
  if (!job.hold) return false;
  requireChangeable(job.hold, byOperator, now);
  delete job.hold;
  delete job.held;
  delete job.holdReason;
  announcements.push({ type: 'job.progressed' });
  return true;
}
