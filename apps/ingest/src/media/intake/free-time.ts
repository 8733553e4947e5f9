import type { AccountService, gateway } from '@parlance/contracts';
import { AppError, type Logger, type Metrics } from '@parlance/platform';
import { Counter } from 'prom-client';

const ANSWER_MS = 2000;

/** Seconds of an account that this process lets go on while nobody can be asked: as much as an account is given once. */
const UNASKED_SECONDS = 300 * 60;

/** What ingest knows of a job once its media was probed. */
export interface KnownMedia {
  accountId: string;
  jobId: string;
  run: number;
  /** Of media. */
  seconds: number;
}

/**
 * Sets a job's seconds aside before it is transcribed.
 * @throws AppError payment_required/quota_exhausted when the account has none left; unavailable when nobody can tell, and much went on unasked
 */
export type FreeTime = (media: KnownMedia) => Promise<void>;

/**
 * Asks the gateway, which keeps the accounts. While it is away jobs go on, an account's as far as a bound: better a free job than a
 * lost one, but not any number of them. What they use is in the ledger all the same.
 */
export function askFreeTime(accounts: Pick<AccountService, 'reserveSeconds'>, log: Logger, metrics: Metrics): FreeTime {
  const help = 'Recordings for which the gateway did not answer whether their account has free time left, by whether they continued';
  const unanswered = new Counter({ name: 'parlance_free_time_unanswered_total', help, labelNames: ['went_on'], registers: [metrics] });
  /** By account, since the gateway last answered: the seconds of each job, however often it is tried. */
  const unasked = new Map<string, Map<string, number>>();

  function goOnUnasked(error: unknown, { accountId, jobId, seconds }: KnownMedia): void {
    const jobs = new Map(unasked.get(accountId)).set(jobId, seconds);
    const goesOn = [...jobs.values()].reduce((sum, each) => sum + each, 0) <= UNASKED_SECONDS;
    unanswered.inc({ went_on: String(goesOn) });
    log.warn({ err: error, job_id: jobId, account_id: accountId }, `the gateway did not answer whether the account has free time left; the job ${goesOn ? 'continues' : 'waits'}`);
    if (!goesOn) throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The gateway did not answer whether the account has free time left.', cause: error });
    unasked.set(accountId, jobs);
  }

  return async (media) => {
    let answer: gateway.ReserveSecondsResponse;
    try {
      answer = await accounts.reserveSeconds(media, { timeoutMs: ANSWER_MS });
    } catch (error) {
      return goOnUnasked(error, media);
    }
    unasked.clear();
    if (answer.granted) return;
    throw new AppError({ kind: 'payment_required', code: 'quota_exhausted', message: 'The free minutes of the account were used up before this job was transcribed.', retryable: false });
  };
}
