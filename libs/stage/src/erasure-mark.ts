/** The state of a deleted job's erasure in one service. */
export interface ErasureMark {
  /** The number of things to erase when the deletion was first received. */
  count: number;
  reported: boolean;
  /** When the `job.deleted` that was answered last was published (RFC 3339). */
  askedAt?: string;
}

/** True when there is something to report: a `job.deleted` that is delivered again was answered, one that ingest published later was not. */
export const isUnanswered = ({ reported, askedAt = '' }: ErasureMark, newlyAskedAt: string): boolean => !reported || newlyAskedAt > askedAt;
