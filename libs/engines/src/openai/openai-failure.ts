import type { AppError } from '@parlance/platform';
import type * as OpenAiSdk from 'openai';
import { AnswerTooLarge } from './bounded-answer.js';
import { faultCode } from './fault-code.js';
import { ServerFault, withoutStack } from './server-fault.js';

/** The words in which an engine describes a failure of its server. */
export interface ServerWords {
  /** `The speech server`. */
  server: string;
  /** For statuses of which there is more to say than the number. */
  reasons: Readonly<Record<number, string>>;
  tookTooLong(cause: unknown): AppError;
  /** The error of status 429. @param retryAfter seconds */
  busy(retryAfter: number | undefined, cause: unknown): AppError;
  failed(message: string, options: { retryable: boolean; retryAfter?: number; cause: unknown }): AppError;
}

/**
 * Maps a failed call of the SDK to an AppError. The error and its cause name neither the server nor its text, which may
 * contain an internal address, the key or the request.
 */
export function openAiFailure(error: unknown, sdk: typeof OpenAiSdk, words: ServerWords): AppError {
  return withoutStack(meaningOf(error, sdk, words));
}

function meaningOf(error: unknown, sdk: typeof OpenAiSdk, words: ServerWords): AppError {
  const { server } = words;
  const cause = new ServerFault(faultCode(error, sdk));
  if (error instanceof AnswerTooLarge) return words.failed(`${server}’s answer is too large.`, { retryable: false, cause });
  if (error instanceof sdk.APIConnectionTimeoutError) return words.tookTooLong(cause);
  if (error instanceof sdk.APIConnectionError) return words.failed(`${server} cannot be reached.`, { retryable: true, cause });
  if (error instanceof sdk.APIError && error.status !== undefined) return refusal(error.status, error.headers, new ServerFault(faultCode(error, sdk), error.status), words);
  return words.failed(`${server}’s answer could not be read.`, { retryable: true, cause });
}

function refusal(status: number, headers: Headers | undefined, cause: ServerFault, words: ServerWords): AppError {
  const retryAfter = secondsOf(headers?.get('retry-after'));
  if (status === 429) return words.busy(retryAfter, cause);
  const retryable = status === 408 || status === 409 || status >= 500;
  const message = words.reasons[status] ?? commonReason(status, words.server);
  return words.failed(message, { retryable, cause, ...(retryable && retryAfter !== undefined && { retryAfter }) });
}

function commonReason(status: number, server: string): string {
  if (status >= 300 && status < 400) return `${server} redirects to another address, which is not followed; its setting must have the final address.`;
  if (status === 401 || status === 403) return `${server} refused the API key.`;
  if (status === 404) return `${server} has no such model or path.`;
  return `${server} answered with status ${status}.`;
}

function secondsOf(header: string | null | undefined): number | undefined {
  const seconds = Number(header ?? NaN);
  return seconds >= 0 ? seconds : undefined;
}
