import type { Problem } from '../../http/problem.js';
import type { CompatRefusal } from '../compat-refusal.js';

/** The error object of the OpenAI API (openapi.yaml, ErrorResponse). */
interface OpenAiError {
  error: { message: string; type: string; param: string | null; code: string | null };
}

const TYPES: Readonly<Record<number, string>> = { 401: 'authentication_error', 402: 'insufficient_quota', 403: 'permission_error', 404: 'not_found_error', 429: 'rate_limit_error' };

/** The codes by which OpenAI's clients tell errors apart; all others are ours. */
const CODES: Readonly<Record<string, string>> = {
  unauthenticated: 'invalid_api_key',
  model_unknown: 'model_not_found',
  quota_exhausted: 'insufficient_quota',
  key_budget_exhausted: 'insufficient_quota',
  storage_quota_exhausted: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
};

/** OpenAI answers an exhausted quota with 429, and everything that is wrong with a request or its file with 400. */
const STATUSES: Readonly<Record<number, number>> = { 402: 429, 415: 400, 422: 400 };

/** @param status as our own API answers */
export function openAiError({ code, detail, errors = [] }: { code: string; detail: string; errors?: readonly { pointer: string; code: string; detail: string }[] }, status: number): { status: number; body: OpenAiError } {
  const [field] = errors;
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  const unknownModel = field?.code === 'model_unknown';
  const param = field ? paramOf(field.pointer) : fileParam(code);
  const error = { message: field ? fieldMessage(param, field.detail) : detail, type, param, code: CODES[field?.code ?? code] ?? field?.code ?? code };
  return { status: unknownModel ? 404 : (STATUSES[status] ?? status), body: { error } };
}

/** OpenAI's clients print the message alone, so it names the parameter. */
const fieldMessage = (param: string | null, detail: string): string => (param === null || param === 'file' ? detail : `${param}: ${detail}`);

/** Errors of the file as a whole have no pointer. */
const fileParam = (code: string): string | null => (code.startsWith('media_') ? 'file' : null);

const paramOf = (pointer: string): string | null => (pointer === '' ? null : pointer.replace(/^[/?]/, '').split('/', 1)[0] ?? null);

/** Statuses that OpenAI's clients repeat a request for, unless a header forbids it (openai-node and openai-python, `shouldRetry`). */
const isRepeated = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

/** The refusal of a request. A failure that would only be repeated is an error of the server, and is not to be repeated. */
export function openAiRefusal(problem: Problem): CompatRefusal {
  const isFailure = problem.status === 503 && !problem.retryable;
  const { status, body } = openAiError(problem, isFailure ? 500 : problem.status);
  return { status, body, ...(isRepeated(status) && !problem.retryable && { headers: { 'x-should-retry': 'false' } }) };
}
