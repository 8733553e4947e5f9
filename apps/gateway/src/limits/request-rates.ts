import { AppError, type Clock, type Logger, type Metrics } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import type { FastifyReply } from 'fastify';
import { Counter } from 'prom-client';
import { goOn } from '../http/go-on.js';
import type { Caller } from '../keys/authenticator.js';
import type { AccountPlans, Plan } from '../plans/index.js';
import type { LimitsConfig } from './limits-config.js';
import { RateBuckets } from './rate-buckets.js';
import { rateLimitHeaders, type RatePolicyName } from './rate-limit-headers.js';
import { RateLimiter } from './rate-limiter.js';
import type { RateAnswer } from './rate-view.js';

/** Requests a minute; 0 is no limit. */
export interface RateLimits {
  perKey: number;
  perAccount: number;
}

/** What holds for an account; at once, when it is known. */
export type RateLimitsOf = (accountId: string) => RateLimits | Promise<RateLimits>;

/** What a plan gives each key, its account may have at least. */
export function ratesOfPlans({ RATE_LIMIT_PER_MINUTE, ACCOUNT_RATE_LIMIT_PER_MINUTE }: LimitsConfig, plans: Pick<AccountPlans, 'of' | 'known'>): RateLimitsOf {
  const limitsOf = ({ limits: { requestsPerMinute: perKey = RATE_LIMIT_PER_MINUTE } }: Plan): RateLimits => ({
    perKey,
    perAccount: ACCOUNT_RATE_LIMIT_PER_MINUTE === 0 ? 0 : Math.max(perKey, ACCOUNT_RATE_LIMIT_PER_MINUTE),
  });
  return (accountId) => goOn(plans.known(accountId) ?? plans.of(accountId), limitsOf);
}

/** Lets a caller through as often as the limits of its key and its account say, and tells it how often that is. */
export class RequestRates {
  constructor(
    private readonly limiter: Pick<RateLimiter, 'take' | 'giveBack'>,
    private readonly limitsOf: RateLimitsOf,
    private readonly refused: (policy: RatePolicyName) => void,
  ) {}

  /** At once, but when something has to be looked up. @throws AppError rate_limited */
  admit({ keyId, accountId }: Caller, reply: Pick<FastifyReply, 'headers'>): void | Promise<void> {
    return goOn(this.limitsOf(accountId), ({ perKey, perAccount }) =>
      goOn(this.take(keyId, perKey), (ofKey) =>
        goOn(ofKey?.allowed === false ? undefined : this.take(accountId, perAccount), (ofAccount) => this.answer(keyId, ofKey, ofAccount, reply)),
      ),
    );
  }

  private answer(keyId: string, ofKey: RateAnswer | undefined, ofAccount: RateAnswer | undefined, reply: Pick<FastifyReply, 'headers'>): void {
    const headers = rateLimitHeaders(ofKey, ofAccount);
    if (headers) void reply.headers(headers);
    if (ofKey?.allowed === false) this.refuse('key', ofKey);
    if (ofAccount?.allowed !== false) return;
    if (ofKey) this.limiter.giveBack(keyId);
    this.refuse('account', ofAccount);
  }

  private take(id: string, perMinute: number): RateAnswer | undefined | Promise<RateAnswer> {
    return perMinute === 0 ? undefined : this.limiter.take(id, { perMinute });
  }

  private refuse(name: RatePolicyName, { retryMs }: RateAnswer): never {
    this.refused(name);
    throw new AppError({
      kind: 'rate_limited',
      code: 'rate_limited',
      message: `The ${name} has made too many requests.`,
      retryAfter: Math.max(1, Math.ceil(retryMs / 1000)),
    });
  }
}

/** Shared by the replicas through the gateway's documents. */
export function createRequestRates(context: { documents: DocumentDatabase; clock: Clock; log: Logger; metrics: Metrics }, limitsOf: RateLimitsOf): RequestRates {
  const { documents, clock, log, metrics } = context;
  const registers = [metrics];
  const failures = new Counter({ name: 'parlance_rate_limit_store_failures_total', help: 'Tries to reach the shared store of the rate limits that failed; requests go on by what the process knows', registers });
  const refusals = new Counter({ name: 'parlance_rate_limited_total', help: 'Requests refused because their key or account had made too many', labelNames: ['policy'], registers });
  const limiter = new RateLimiter(new RateBuckets(documents, clock), clock, {
    failed: (error, wasAway) => {
      failures.inc();
      if (!wasAway) log.warn({ err: error }, 'the store of the rate limits is away: this process keeps them alone');
    },
    slow: (id) => {
      failures.inc();
      log.warn({ bucket: id }, 'a bucket of the rate limits was not settled in time: this process keeps it alone for a while');
    },
    recovered: () => log.info('the store of the rate limits is back'),
  });
  return new RequestRates(limiter, limitsOf, (policy) => refusals.inc({ policy }));
}
