import type { AppError } from '@parlance/platform';
import { knownCode, systemCode } from '../../openai/fault-code.js';
import { ServerFault, withoutStack } from '../../openai/server-fault.js';
import { engineFailed, engineTimeout } from '../../speech/engine-errors.js';

const SERVER = 'The realtime speech server';
/** Codes and types of errors that another request may not meet; all others mean that the request is wrong. */
const PASSING: ReadonlySet<string> = new Set(['server_error', 'rate_limit_exceeded', 'session_expired']);

interface ServerError {
  type?: string | null | undefined;
  code?: string | null | undefined;
}

/** True for the end of a session by its age: the next one continues. */
export const isExpiry = (error: ServerError | null | undefined): boolean => error?.code === 'session_expired';

/** An error that the server reported. Neither it nor its cause holds text of the server's own, which may contain the key. */
export function reportedFailure(error: ServerError | null | undefined): AppError {
  const code = knownCode(error?.code) ?? knownCode(error?.type);
  const retryable = [error?.code, error?.type].some((known) => PASSING.has(known ?? ''));
  const reason = code === 'invalid_api_key' ? 'refused the API key' : code === 'model_not_found' ? 'has no such model' : 'could not transcribe the audio';
  return withoutStack(engineFailed(`${SERVER} ${reason}.`, { retryable, cause: new ServerFault(code) }));
}

/** The server refused the connection. @param status of HTTP */
export function refusedConnection(status: number, retryAfter?: number): AppError {
  const retryable = status === 408 || status === 429 || status >= 500;
  const reason = status === 401 || status === 403 ? 'refused the API key' : status === 404 ? 'has no such path' : `answered with status ${status}`;
  return withoutStack(engineFailed(`${SERVER} ${reason}.`, { retryable, cause: new ServerFault(undefined, status), ...(retryAfter !== undefined && { retryAfter }) }));
}

export const unreachable = (error: unknown): AppError => withoutStack(engineFailed(`${SERVER} cannot be reached.`, { cause: new ServerFault(systemCode(error)) }));

export const lostConnection = (): AppError => withoutStack(engineFailed(`${SERVER} closes its connections.`));

export const unreadableEvent = (): AppError => withoutStack(engineFailed(`${SERVER} sent an event in an unknown format.`, { retryable: false }));

export const noAnswer = (): AppError => withoutStack(engineTimeout());
