import { ApiError, ConnectionError, JobFailedError, TimeoutError, UnexpectedResponseError } from './client.js';

/** An error whose message is written for the assistant. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** The next step after a refusal, by its code or status. */
const ADVICE: Record<string, string> = {
  401: 'The API key is missing, wrong or revoked. The user has to set PARLANCE_API_KEY to a valid key and restart this MCP server.',
  402: 'The quota of the account is used up. The user has to raise it, or wait for the next period.',
  403: 'The API key lacks the scope for this. The user has to create a key with it.',
  404: 'Nothing has this id. Call list_recordings for the ids that exist.',
  413: 'The file is larger than the server accepts. Split it, or send only its sound.',
  429: 'A limit is reached. Wait a minute, then call again.',
  invalid_cursor: 'Call again without cursor.',
};

/** A message that says what happened and what to do now. */
export function adviceFor(error: unknown): string {
  if (error instanceof UnexpectedResponseError) return `${error.message} The user has to check PARLANCE_BASE_URL.`;
  if (error instanceof ApiError) return refusal(error);
  if (error instanceof TimeoutError) return `${error.message} Call again later.`;
  if (error instanceof ConnectionError) return `Parlance does not answer: ${causeOf(error)}. The user has to check that the server runs and that PARLANCE_BASE_URL is its address. Then call again.`;
  if (error instanceof JobFailedError) return `${error.message} ${error.retryable ? 'Call transcribe again with again: true.' : 'The same recording will fail again: use another file, or correct the options.'}`;
  return error instanceof Error ? error.message : String(error);
}

function refusal({ message, code, status, retryable, requestId }: ApiError): string {
  const advice = ADVICE[code] ?? ADVICE[status] ?? (retryable ? 'Call again later.' : 'Correct the call: the same one will fail again.');
  return `${message} ${advice}${requestId === undefined ? '' : ` (request ${requestId})`}`;
}

/** `fetch` has the reason in the cause of its error. */
function causeOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? causeOf(cause) : error.message || (error as NodeJS.ErrnoException).code || error.name;
}
