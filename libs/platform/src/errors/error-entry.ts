/** The kind of an error, which every edge maps: to an HTTP status, a gRPC status or a dead letter. */
export type ErrorKind =
  | 'invalid' // the caller's input is wrong and stays wrong
  | 'unauthenticated'
  | 'forbidden'
  | 'payment_required'
  | 'not_found'
  | 'conflict' // the state does not allow it now
  | 'too_large'
  | 'unsupported_media'
  | 'rate_limited'
  | 'canceled'
  | 'timeout'
  | 'unavailable' // the other side is away; worth another try
  | 'internal';

/** Part of the product that passes an error of a job on in its own words. `media`: the recording itself is at fault. */
export type FailureReporter = 'media' | 'intake' | 'stage';

/** All that is decided about an error code. */
export interface ErrorEntry {
  kind: ErrorKind;
  /** Further kinds that the same code is thrown with. */
  otherKinds?: readonly ErrorKind[];
  /** HTTP status where the kind's does not fit. */
  status?: number;
  /** True when the same call may succeed later; default: by the kind. */
  retryable?: boolean;
  /** A server of our own is away, or the machine is out of something: the work is not at fault and waits. */
  isOutage?: boolean;
  /** Public, as the code of a refused request: the title and the text of its page. */
  problem?: { title: string; text: string };
  /** True for a problem that no operation answers with: it closes the socket of a live session, or refuses its upgrade. */
  isOfSockets?: boolean;
  /** Public, as the code of a failed job or stage: what it means and what to do. Without a reporter, only the job's state machine sets it. */
  failure?: { reportedBy: readonly FailureReporter[]; text: string };
}
