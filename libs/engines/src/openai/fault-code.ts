import type * as OpenAiSdk from 'openai';
import { AnswerTooLarge } from './bounded-answer.js';

/** Codes of OpenAI's API reference, which other servers use too; any other text of a server is not trusted. */
const KNOWN_CODES: ReadonlySet<string> = new Set([
  'billing_hard_limit_reached', 'content_filter', 'content_policy_violation', 'context_length_exceeded', 'insufficient_quota', 'invalid_api_key',
  'invalid_request_error', 'invalid_value', 'model_not_found', 'rate_limit_exceeded', 'server_error', 'session_expired', 'string_above_max_length', 'unsupported_country_region_territory',
  'unsupported_parameter', 'unsupported_value',
]);
/** Codes of Node and its HTTP client: `ECONNREFUSED`, `UND_ERR_SOCKET`, `CERT_HAS_EXPIRED`. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]+$/;
const MAX_CAUSES = 5;

/** The code, where it is a well-known one. */
export const knownCode = (code: string | null | undefined): string | undefined => (KNOWN_CODES.has(code ?? '') ? (code ?? undefined) : undefined);

/** The part of a failed call that a log may contain: a well-known code, or the kind of error. */
export function faultCode(error: unknown, { APIConnectionError, APIError }: typeof OpenAiSdk): string | undefined {
  if (error instanceof AnswerTooLarge) return 'answer_too_large';
  if (error instanceof APIError && !(error instanceof APIConnectionError)) return knownCode(error.code) ?? knownCode(error.type);
  return systemCode(error) ?? (error instanceof Error ? error.name : undefined);
}

/** The code of Node in an error or its causes. */
export function systemCode(error: unknown, causes = MAX_CAUSES): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && SYSTEM_CODE.test(code)) return code;
  return causes > 0 ? systemCode(cause, causes - 1) : undefined;
}
