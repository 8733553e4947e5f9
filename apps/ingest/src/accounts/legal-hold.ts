import { AppError } from '@parlance/platform';

/** Prevents the erasure of a job, or of an account with all of its jobs. Who set it and for how long is in clear, so that it holds where no key opens its reason. */
export interface LegalHold {
  /** RFC 3339 UTC: when it ends by itself. Absent: when it is lifted. */
  until?: string;
  /** An operator set it: the account cannot lift or change it. */
  byOperator?: true;
  /** RFC 3339 UTC. */
  since: string;
}

export const isHolding = (hold: LegalHold | undefined, now: string): hold is LegalHold => hold !== undefined && (hold.until === undefined || hold.until > now);

/** @throws AppError legal_hold when the change is not the account's to make */
export function requireChangeable(current: LegalHold | undefined, byOperator: boolean, now: string): void {
  if (current?.byOperator && !byOperator && isHolding(current, now)) throw new AppError({ code: 'legal_hold', message: 'The operator of this service set the legal hold. Only the operator changes or lifts it.' });
}

export const underLegalHold = (what: string): AppError => new AppError({ code: 'legal_hold', message: `${what} is under a legal hold, so that nothing of it is erased.` });
