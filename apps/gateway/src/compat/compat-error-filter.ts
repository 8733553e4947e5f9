import { Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromFrameworkError } from '../http/framework-error.js';
import { describeProblem, type Problem } from '../http/problem.js';
import { refusedRequest, sendRefusal } from '../http/problem-filter.js';

/** A refusal in the form of another vendor's API. */
export interface CompatRefusal {
  status: number;
  body: object;
  headers?: Readonly<Record<string, string>>;
}

/** Answers refusals in the form that the clients of another vendor's API read. */
export abstract class CompatErrorFilter implements ExceptionFilter<unknown> {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /** The problem in the vendor's form. */
  protected abstract answerOf(problem: Problem): CompatRefusal;

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const exchange = { request: http.getRequest<FastifyRequest>(), reply: http.getResponse<FastifyReply>() };
    sendCompatError(thrown, exchange, this.log, (problem) => this.answerOf(problem));
  }
}

/** Answers a request, also one for a socket, with an error. Only what is unexpected is logged. */
export function sendCompatError(thrown: unknown, { request, reply }: { request: FastifyRequest; reply: FastifyReply }, log: Logger, answerOf: (problem: Problem) => CompatRefusal): void {
  const error = fromFrameworkError(thrown);
  if (error.kind === 'internal') log.error({ err: error.cause ?? error, request_id: request.id }, 'request failed');
  if (reply.sent) return;
  const { problem, headers } = describeProblem(error, refusedRequest(request));
  const { status, body, headers: own } = answerOf(problem);
  void reply.status(status).headers({ ...headers, 'content-type': 'application/json; charset=utf-8', ...own });
  sendRefusal(request, reply, body);
}
