import type { AppError } from '@parlance/platform';

/** Since when the end of a session is tried, how often that failed, and how many of these failures were outages. */
export interface EndFailures {
  since: string;
  failures: number;
  outages?: number;
}

/** Ends that failed while the services worked, after which recognition is given up. */
const MAX_FAILED = 5;
/** Ends that failed, also by outages: about eight hours of tries. */
const MAX_TRIED = 16;

/** True for a failure that says nothing about the session: a service is away, or has no room. */
const isOutage = ({ kind }: AppError): boolean => kind === 'unavailable' || kind === 'rate_limited';

export function withFailure({ since, failures, outages = 0 }: EndFailures, error: AppError): EndFailures {
  return { since, failures: failures + 1, outages: outages + Number(isOutage(error)) };
}

/** True when the rest of a session is left to its job, which transcribes the recording as a file: better a late transcript than none. */
export function isRecognitionGivenUp({ failures, outages = 0 }: Pick<EndFailures, 'failures' | 'outages'>, error: AppError): boolean {
  if (!error.retryable) return true;
  return isOutage(error) ? failures >= MAX_TRIED : failures - outages >= MAX_FAILED;
}
