import type { Logger } from '@parlance/platform';

/** A kind of work of the upkeep. A round of it may be repeated, and run in several processes at once. */
export interface UpkeepStep {
  /** @param signal aborts when the service stops; the step ends before its next part */
  run(signal: AbortSignal): Promise<void>;
}

/** Does one part of a step. A failure is logged and does not prevent the other parts; the next round tries it again. @throws the signal's reason when it aborts */
export async function attempt({ log, signal }: { log: Logger; signal: AbortSignal }, fields: { job_id?: string; account_id?: string }, part: () => Promise<unknown>): Promise<void> {
  signal.throwIfAborted();
  try {
    await part();
  } catch (error) {
    signal.throwIfAborted();
    log.error({ ...fields, err: error }, 'upkeep failed');
  }
}

/** Log fields of a job. */
export const about = ({ id, accountId }: { id: string; accountId: string }): { job_id: string; account_id: string } => ({ job_id: id, account_id: accountId });
