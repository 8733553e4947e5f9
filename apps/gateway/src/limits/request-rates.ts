import { AppError, type Clock, type Logger, type Metrics } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import type { FastifyReply } from 'fastify';
import { Counter } from 'prom-client';
import { thenSync } from '../http/then-sync.js';
import type { StreamLimits } from '../http/stream-slots.js';
import type { Caller } from '../keys/authenticator.js';
import type { AccountPlans, Plan } from '../plans/index.js';
import type { LimitsConfig } from './limits-config.js';
import { RateBuckets } from './rate-buckets.js';
import { rateLimitHeaders, type RatePolicyName } from './rate-limit-headers.js';
import { RateLimiter } from './rate-limiter.js';
import type { RateAnswer } from './rate-view.js';

/** Requests a minute; 0 is no limit. */
interface RateLimits {
  perKey: number;
  perAccount: number;
}

/** The limits of an account; not a promise when they are known. */
type RateLimitsOf = (accountId: string) => RateLimits | Promise<RateLimits>;

/** An account has at least the limit that its plan gives each key. */
export function ratesOfPlans({ RATE_LIMIT_PER_MINUTE, ACCOUNT_RATE_LIMIT_PER_MINUTE }: LimitsConfig, plans: Pick<AccountPlans, 'of' | 'known'>): RateLimitsOf {
  const limitsOf = ({ limits: { requestsPerMinute: perKey = RATE_LIMIT_PER_MINUTE } }: Plan): RateLimits => ({
    perKey,
    perAccount: ACCOUNT_RATE_LIMIT_PER_MINUTE === 0 ? 0 : Math.max(perKey, ACCOUNT_RATE_LIMIT_PER_MINUTE),
  });
  return (accountId) => thenSync(plans.known(accountId) ?? plans.of(accountId), limitsOf);
}

/** A plan's number of streams is in place of the account's; a key has its own limit below it. */
export function streamLimitsOfPlans({ STREAMS_PER_KEY, STREAMS_PER_ACCOUNT }: LimitsConfig, plans: Pick<AccountPlans, 'of' | 'known'>): (accountId: string) => StreamLimits | Promise<StreamLimits> {
  const limitsOf = ({ limits: { streams: perAccount = STREAMS_PER_ACCOUNT } }: Plan): StreamLimits => ({ perKey: STREAMS_PER_KEY, perAccount });
  return (accountId) => thenSync(plans.known(accountId) ?? plans.of(accountId), limitsOf);
}

/** Admits a caller as often as the limits of its key and its account allow, and returns these limits in the headers. */
export class RequestRates {
  constructor(
    private readonly limiter: Pick<RateLimiter, 'take' | 'giveBack'>,
    private readonly limitsOf: RateLimitsOf,
    private readonly refused: (policy: RatePolicyName | 'link') => void,
  ) {}

  /** At once, but when something has to be looked up. @throws AppError rate_limited */
  admit({ keyId, accountId }: Caller, reply: Pick<FastifyReply, 'headers'>): void | Promise<void> {
    return thenSync(this.limitsOf(accountId), ({ perKey, perAccount }) =>
      thenSync(this.take(keyId, perKey), (ofKey) =>
        thenSync(ofKey?.allowed === false ? undefined : this.take(accountId, perAccount), (ofAccount) => this.answer(keyId, ofKey, ofAccount, reply)),
      ),
    );
  }

  /**
   * Admits a request by a shared link, which has the limits of a key. All links of an account together have a bucket of their own, so that
   * a link that is used too often does not stop the account's keys. @throws AppError rate_limited
   */
  async admitLink({ id, accountId }: { id: string; accountId: string }): Promise<void> {
    const { perKey, perAccount } = await this.limitsOf(accountId);
    const ofLink = await this.take(id, perKey);
    if (ofLink?.allowed === false) this.refuse('link', ofLink);
    const ofAccount = await this.take(`links_${accountId}`, perAccount);
    if (ofAccount?.allowed !== false) return;
    if (ofLink) this.limiter.giveBack(id);
    this.refuse('account', ofAccount);
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

  private refuse(name: RatePolicyName | 'link', { retryMs }: RateAnswer): never {
    this.refused(name);
    throw new AppError({
      kind: 'rate_limited',
      code: 'rate_limited',
      message: `The ${name} has exceeded its request limit.`,
      retryAfter: Math.max(1, Math.ceil(retryMs / 1000)),
    });
  }
}

/** Shared by the replicas through the gateway's documents. */
export function createRequestRates(context: { documents: DocumentDatabase; clock: Clock; log: Logger; metrics: Metrics }, limitsOf: RateLimitsOf): RequestRates {
  const { documents, clock, log, metrics } = context;
  const registers = [metrics];
  const failures = new Counter({ name: 'parlance_rate_limit_store_failures_total', help: 'Failed calls to the shared rate limit store; requests are then limited by what the process itself has counted', registers });
  const refusals = new Counter({ name: 'parlance_rate_limited_total', help: 'Requests refused because their key, link or account exceeded its rate limit', labelNames: ['policy'], registers });
  const limiter = new RateLimiter(new RateBuckets(documents, clock), clock, {
    failed: (error, wasAway) => {
      failures.inc();
      if (!wasAway) log.warn({ err: error }, 'rate limit store unavailable: this process counts requests alone');
    },
    slow: (id) => {
      failures.inc();
      log.warn({ bucket: id }, 'rate limit bucket not synchronised in time: this process counts it alone for a while');
    },
    recovered: () => log.info('rate limit store available again'),
  });
  return new RequestRates(limiter, limitsOf, (policy) => refusals.inc({ policy }));
}
