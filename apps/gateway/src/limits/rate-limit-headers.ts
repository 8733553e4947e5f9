import type { RateAnswer } from './rate-view.js';
import { WINDOW_MS } from './token-bucket.js';

/** The fields of draft-ietf-httpapi-ratelimit-headers-11, as the API description has them. */
export const RATE_LIMIT_HEADERS = {
  'RateLimit-Policy': 'The limits that apply: `q` requests in `w` seconds. Example: `"key";q=600;w=60, "account";q=3000;w=60`.',
  RateLimit: 'What is left of the limits: `r` requests, and `t` seconds until all (when `r` is 0, the next one) are available again. Example: `"key";r=599;t=1, "account";r=2999;t=1`.',
} as const;

/** The subject of a limit. */
export type RatePolicyName = 'key' | 'account';

/** Lists of Structured Fields (RFC 9651); undefined when nothing is limited. No partition key: it would say whose they are. */
export function rateLimitHeaders(ofKey: RateAnswer | undefined, ofAccount: RateAnswer | undefined): { 'ratelimit-policy': string; ratelimit: string } | undefined {
  if (ofKey && ofAccount) return { 'ratelimit-policy': `${policyOf('key', ofKey)}, ${policyOf('account', ofAccount)}`, ratelimit: `${limitOf('key', ofKey)}, ${limitOf('account', ofAccount)}` };
  if (ofKey) return { 'ratelimit-policy': policyOf('key', ofKey), ratelimit: limitOf('key', ofKey) };
  if (ofAccount) return { 'ratelimit-policy': policyOf('account', ofAccount), ratelimit: limitOf('account', ofAccount) };
  return undefined;
}

const policyOf = (name: RatePolicyName, { policy }: RateAnswer) => `"${name}";q=${policy.perMinute};w=${WINDOW_MS / 1000}`;

const limitOf = (name: RatePolicyName, { left, retryMs, fullMs }: RateAnswer) => `"${name}";r=${left};t=${Math.ceil((left > 0 ? fullMs : retryMs) / 1000)}`;
