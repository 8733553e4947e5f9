import { Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromFrameworkError } from '../http/framework-error.js';
import { describeProblem, type Problem } from '../http/problem.js';
import { refusedRequest, sendRefusal } from '../http/problem-filter.js';

/** Answers refusals in the form that the clients of another vendor's API read. */
export abstract class CompatErrorFilter implements ExceptionFilter<unknown> {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /** The problem in the vendor's form. */
  protected abstract answerOf(problem: Problem): { status: number; body: object };

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = fromFrameworkError(thrown);
    if (error.kind === 'internal') this.log.error({ err: error.cause ?? error, request_id: request.id }, 'request failed');
    if (reply.sent) return;
    const { problem, headers } = describeProblem(error, refusedRequest(request));
    const { status, body } = this.answerOf(problem);
    void reply.status(status).headers({ ...headers, 'content-type': 'application/json; charset=utf-8' });
    sendRefusal(request, reply, body);
  }
}
