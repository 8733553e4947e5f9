import type { Egress } from '@parlance/egress';
import { AppError } from '@parlance/platform';
import type { FetchLimits } from './fetch-limits.js';
import { mediaError } from './media-error.js';

/** The head of an answer and its body, still to be read. */
export interface MediaAnswer {
  status: number;
  header(name: string): string | undefined;
  body: AsyncIterable<Uint8Array>;
  /** Drops the body and its connection. */
  discard(): void;
}

/**
 * One GET with every redirect followed; each hop's URL and address pass the egress guard. `ownHeaders` are the caller's, for the
 * origin of the URL: once a redirect has led to another one, they are sent no more.
 * @throws AppError address_forbidden, media_unreachable (redirects that lead nowhere); undici's errors for a broken connection.
 */
export async function openMedia(
  egress: Egress,
  url: string,
  headers: Record<string, string>,
  { limits, signal, ownHeaders = {} }: { limits: FetchLimits; signal: AbortSignal; ownHeaders?: Readonly<Record<string, string>> | undefined },
): Promise<MediaAnswer> {
  let target = allowed(egress, url);
  const { origin } = target;
  let isSameOrigin = true;
  for (let hop = 0; hop <= limits.maxRedirects; hop += 1) {
    const answer = await get(egress, target, isSameOrigin ? { ...lowerCased(ownHeaders), ...headers } : headers, limits, signal);
    if (![301, 302, 303, 307, 308].includes(answer.status)) return answer;
    answer.discard();
    const location = answer.header('location');
    const next = location === undefined ? null : URL.parse(location, target.href);
    if (!next) throw mediaError('media_unreachable', `The media server answered ${answer.status} without a usable location.`, { retryable: false });
    target = allowed(egress, next);
    isSameOrigin &&= target.origin === origin;
  }
  throw mediaError('media_unreachable', `The media server redirected more than ${limits.maxRedirects} times.`, { retryable: false });
}

/** So that a header of the caller replaces the default of the same name. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

async function get(egress: Egress, url: URL, headers: Record<string, string>, limits: FetchLimits, signal: AbortSignal): Promise<MediaAnswer> {
  const { statusCode, headers: answered, body } = await egress.request(url, {
    method: 'GET',
    headers: { 'user-agent': 'Parlance', accept: '*/*', 'accept-encoding': 'identity', ...headers },
    signal,
    headersTimeoutMs: limits.stallMs,
    bodyTimeoutMs: limits.stallMs,
  });
  return {
    status: statusCode,
    header: (name) => [answered[name]].flat().at(0),
    body,
    discard: () => void body.on('error', () => undefined).destroy(),
  };
}

/** A URL that is no http URL is the caller's mistake at creation, but in a redirect the server's. */
function allowed(egress: Egress, url: string | URL): URL {
  try {
    return egress.assertAllowedUrl(url);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_url') {
      throw mediaError('media_unreachable', `The media cannot be fetched: ${error.message}`, { retryable: false, cause: error });
    }
    throw error;
  }
}
