import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { AppError, type Logger } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromFrameworkError } from './framework-error.js';
import { describeProblem } from './problem.js';

/** The HTTP edge's one mapper of errors. Only what is unexpected is logged, with its cause; the caller never sees that. */
@Catch()
export class ProblemFilter implements ExceptionFilter<unknown> {
  constructor(private readonly log: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const path = pathOf(request.url);
    const allowed = request.is404 ? request.server.methodTable.allowed(path) : [];
    const error = allowed.length > 0 ? methodNotAllowed(request.method) : fromFrameworkError(thrown);
    if (error.kind === 'internal') this.log.error({ err: error.cause ?? error, request_id: request.id }, 'request failed');
    if (reply.sent) return;
    const { problem, headers } = describeProblem(error, { path, id: request.id });
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    leaveBodyUnread(request, reply);
    void reply.status(problem.status).headers(headers).send(JSON.stringify(problem));
  }
}

export const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

const methodNotAllowed = (method: string) =>
  new AppError({ kind: 'invalid', code: 'method_not_allowed', message: `${method} is not a method of this address.` });

/** Milliseconds a client has to notice a refusal before the rest of its body is cut off. */
const LINGER_MS = 2000;

/** A refused upload is not read to its end: the connection is closed, after a moment in which the answer can arrive. */
function leaveBodyUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete || raw.destroyed) return;
  reply.header('connection', 'close');
  raw.unpipe();
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), LINGER_MS).unref();
  raw.once('close', () => clearTimeout(timer));
}
