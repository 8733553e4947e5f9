import { AppError } from '@parlance/platform';

const EXPLANATIONS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before an answer came.',
  EPIPE: 'The connection was closed before an answer came.',
  UND_ERR_SOCKET: 'The connection was closed before an answer came.',
  ENOTFOUND: 'The host name is not known.',
  EAI_AGAIN: 'The host name could not be looked up.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'The host cannot be reached.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection was made in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The head of the answer is too large.',
};

/** What kept an answer from coming, in words for the account's owner: no addresses, no stack. `final`: another try would end the same way. */
export function explainFailure(thrown: unknown, timeoutMs: number): { message: string; final: boolean } {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof AppError) return { message: `${error.code}: ${error.message}`, final: !error.retryable };
  }
  const { name, code } = thrown as { name?: string; code?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return { message: `No answer within ${timeoutMs / 1000} s.`, final: false };
  return { message: explanationOf(code), final: false };
}

function explanationOf(code: unknown): string {
  if (typeof code !== 'string') return 'The request failed.';
  if (code.startsWith('HPE_')) return 'The answer is not HTTP.';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return `The TLS connection was not accepted (${code}).`;
  return EXPLANATIONS[code] ?? `The request failed (${code}).`;
}
