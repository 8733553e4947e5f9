import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromFrameworkError } from '../../http/framework-error.js';
import { describeProblem } from '../../http/problem.js';
import { refusedRequest, sendRefusal } from '../../http/problem-filter.js';

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
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  426: 'UPGRADE_REQUIRED',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};

/** Failures to fetch the recording from its URL. */
const OF_THE_URL: ReadonlySet<string> = new Set(['media_unreachable', 'media_unauthorized', 'media_timeout']);

/** Deepgram answers everything that is wrong with a request or its audio with 400. */
const STATUSES: Readonly<Record<number, number>> = { 415: 400, 422: 400 };

interface Described {
  code: string;
  detail: string;
  request_id: string;
  errors?: readonly { pointer: string; code: string; detail: string }[];
}

/** @param answered as our own API answers */
export function deepgramError({ code, detail, request_id: requestId, errors = [] }: Described, answered: number): { status: number; body: DeepgramError } {
  const [field] = errors;
  const status = STATUSES[answered] ?? answered;
  const errCode = OF_THE_URL.has(field?.code ?? code) ? 'REMOTE_CONTENT_ERROR' : (CODES[status] ?? 'INTERNAL_SERVER_ERROR');
  return { status, body: { err_code: errCode, err_msg: field ? fieldMessage(field) : detail, request_id: requestId } };
}

/** An error of the file is not named: the file is the request. */
const fieldMessage = ({ pointer, detail }: { pointer: string; detail: string }): string => (pointer === '' || pointer === '/file' ? detail : `${pointer.replace(/^[/?]/, '')}: ${detail}`);

/** Answers refusals in the form that Deepgram's clients read. */
@Catch()
export class DeepgramErrorFilter implements ExceptionFilter<unknown> {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    sendDeepgramError(thrown, request, reply, this.log);
  }
}

export function sendDeepgramError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): void {
  const error = fromFrameworkError(thrown);
  if (error.kind === 'internal') log.error({ err: error.cause ?? error, request_id: request.id }, 'request failed');
  if (reply.sent) return;
  const { problem, headers } = describeProblem(error, refusedRequest(request));
  const { status, body } = deepgramError(problem, problem.status);
  // Some clients of a refused WebSocket show this header alone.
  const shown = body.err_msg.replaceAll(/[^\x20-\x7e]/g, '?');
  void reply.status(status).headers({ ...headers, 'content-type': 'application/json; charset=utf-8', 'dg-request-id': request.id, 'dg-error': shown });
  sendRefusal(request, reply, body);
}
