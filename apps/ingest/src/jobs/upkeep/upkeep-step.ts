import type { Logger } from '@parlance/platform';

/** A kind of work of the upkeep. A round of it may be repeated, and run in several processes at once. */
export interface UpkeepStep {
  run(): Promise<void>;
}

/** Does one part of a step. A failure is logged and does not prevent the other parts; the next round tries it again. */
export async function attempt(log: Logger, about: { job_id?: string; account_id?: string }, part: () => Promise<unknown>): Promise<void> {
  try {
    await part();
  } catch (error) {
    log.error({ ...about, err: error }, 'upkeep failed');
  }
}

/** Log fields of a job. */
export const about = ({ id, accountId }: { id: string; accountId: string }): { job_id: string; account_id: string } => ({ job_id: id, account_id: accountId });
