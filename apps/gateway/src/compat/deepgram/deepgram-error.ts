import type { Problem } from '../../http/problem.js';
import type { CompatRefusal } from '../compat-refusal.js';

/** The error of Deepgram's API (developers.deepgram.com, Errors). */
interface DeepgramError {
  err_code: string;
  err_msg: string;
  request_id: string;
}

const CODES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'INVALID_AUTH',
  402: 'ASR_PAYMENT_REQUIRED',
  403: 'INSUFFICIENT_PERMISSIONS',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'URI_TOO_LONG',
  422: 'Unprocessable Entity',
  426: 'UPGRADE_REQUIRED',
  429: 'TOO_MANY_REQUESTS',
  431: 'REQUEST_HEADER_FIELDS_TOO_LARGE',
  503: 'SERVICE_UNAVAILABLE',
};

/** Failures to fetch the recording from its URL. */
const OF_THE_URL: ReadonlySet<string> = new Set(['media_unreachable', 'media_unauthorized', 'media_timeout']);

/** Deepgram answers everything that is wrong with a request or its audio with 400. */
const STATUSES: Readonly<Record<number, number>> = { 415: 400, 422: 400 };
/** Deepgram's own status for audio that it could not process. */
const UNPROCESSABLE = 422;

/** Deepgram's clients repeat a request for these (its SDK for JavaScript all but 409), whatever else the answer says. */
const isRepeated = (status: number): boolean => status === 408 || status === 409 || status >= 500;

interface Described {
  code: string;
  detail: string;
  request_id: string;
  retryable?: boolean;
  errors?: readonly { pointer: string; code: string; detail: string }[];
}

/** @param answered as our own API answers */
function deepgramError({ code, detail, request_id: requestId, retryable = true, errors = [] }: Described, answered: number): { status: number; body: DeepgramError } {
  const [field] = errors;
  const status = isRepeated(answered) && !retryable ? UNPROCESSABLE : (STATUSES[answered] ?? answered);
  const errCode = OF_THE_URL.has(field?.code ?? code) ? 'REMOTE_CONTENT_ERROR' : (CODES[status] ?? 'INTERNAL_SERVER_ERROR');
  return { status, body: { err_code: errCode, err_msg: field ? fieldMessage(field) : detail, request_id: requestId } };
}

/** An error of the file is not named: the file is the request. */
const fieldMessage = ({ pointer, detail }: { pointer: string; detail: string }): string => (pointer === '' || pointer === '/file' ? detail : `${pointer.replace(/^[/?]/, '')}: ${detail}`);

/** The refusal of a request. Some clients of a refused WebSocket show the header `dg-error` alone. */
export function deepgramRefusal(problem: Problem): CompatRefusal {
  const { status, body } = deepgramError(problem, problem.status);
  const challenge = status === 401 && { 'www-authenticate': 'Token' };
  return { status, body, headers: { ...challenge, 'dg-request-id': problem.request_id, 'dg-error': body.err_msg.replaceAll(/[^\x20-\x7e]/g, '?') } };
}

