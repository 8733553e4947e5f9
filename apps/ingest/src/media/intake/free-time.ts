import { Inject, Injectable } from '@nestjs/common';
import type { AccountService, gateway } from '@parlance/contracts';
import { AppError, type Logger, type Metrics } from '@parlance/platform';
import { ACCOUNT_SERVICE, LOGGER, METRICS } from '@parlance/runtime';
import { Counter } from 'prom-client';

const TIMEOUT_MS = 2000;

/** Seconds of an account that this process lets continue while the gateway does not answer: the free time that an account gets once. */
const MAX_UNCHECKED_SECONDS = 300 * 60;

interface ReservedMedia {
  accountId: string;
  jobId: string;
  run: number;
  /** The key that created the job. */
  keyId: string | undefined;
  /** The length of the media. */
  seconds: number;
}

/**
 * Reserves the seconds of a job at the gateway, which keeps the accounts. While the gateway does not answer, jobs of an account
 * continue up to a bound: better a free job than a lost one. The ledger counts their use all the same.
 */
@Injectable()
export class FreeTime {
  private readonly unanswered: Counter<'went_on'>;
  /** By account, since the gateway last answered: the seconds of each job, however often it is tried. */
  private readonly unchecked = new Map<string, Map<string, number>>();

  constructor(
    @Inject(ACCOUNT_SERVICE) private readonly accounts: Pick<AccountService, 'reserveSeconds'>,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(METRICS) metrics: Metrics,
  ) {
    const help = 'Recordings for which the gateway did not answer whether their account has free time left, by whether they continued';
    this.unanswered = new Counter({ name: 'parlance_free_time_unanswered_total', help, labelNames: ['went_on'], registers: [metrics] });
  }

  /** @throws AppError payment_required/quota_exhausted when the account has no time left; payment_required/key_budget_exhausted; unavailable when the gateway does not answer and the bound is reached */
  async reserve(media: ReservedMedia): Promise<void> {
    let answer: gateway.ReserveSecondsResponse;
    try {
      answer = await this.accounts.reserveSeconds(media, { timeoutMs: TIMEOUT_MS });
    } catch (error) {
      return this.continueUnchecked(error, media);
    }
    this.unchecked.clear();
    if (answer.granted) return;
    if (answer.keyBudgetExhausted) throw new AppError({ kind: 'payment_required', code: 'key_budget_exhausted', message: 'The monthly budget of the key was used up before this job was transcribed.', retryable: false });
    throw new AppError({ kind: 'payment_required', code: 'quota_exhausted', message: 'The free minutes of the account were used up before this job was transcribed.', retryable: false });
  }

  private continueUnchecked(error: unknown, { accountId, jobId, seconds }: ReservedMedia): void {
    const jobs = new Map(this.unchecked.get(accountId)).set(jobId, seconds);
    const continues = [...jobs.values()].reduce((sum, each) => sum + each, 0) <= MAX_UNCHECKED_SECONDS;
    this.unanswered.inc({ went_on: String(continues) });
    this.log.warn({ err: error, job_id: jobId, account_id: accountId }, `the gateway did not answer whether the account has free time left; the job ${continues ? 'continues' : 'waits'}`);
    if (!continues) throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The gateway did not answer whether the account has free time left.', cause: error });
    this.unchecked.set(accountId, jobs);
  }
}
