import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { AppError, type Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromFrameworkError } from './framework-error.js';
import { describeRefusal, pathOf, refusedRequest } from './refusal.js';

/** The HTTP edge's one mapper of errors. Only what is unexpected is logged, with its cause; the caller never sees that. */
@Catch()
export class ProblemFilter implements ExceptionFilter<unknown> {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const path = pathOf(request.url);
    const allowed = request.is404 ? request.server.methodTable.allowed(path) : [];
    const error = allowed.length > 0 ? methodNotAllowed(request.method) : fromFrameworkError(thrown);
    logUnexpected(error, request, this.log);
    if (reply.sent) return;
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    refuse(error, request, reply);
  }
}

/** The caller never sees the cause. */
export function logUnexpected(error: AppError, { id }: FastifyRequest, log: Logger): void {
  if (error.kind === 'internal') log.error({ err: error.cause ?? error, request_id: id }, 'request failed');
}

/** Answers with the error, in the form that the path has. */
export function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = describeRefusal(error, refusedRequest(request));
  if (status === 401 && headers['www-authenticate'] === 'Bearer' && presentsCredential(request)) headers['www-authenticate'] = 'Bearer error="invalid_token"';
  void reply.status(status).headers({ ...headers, 'x-request-id': request.id });
  sendRefusal(request, reply, body);
}

/** RFC 6750, section 3.1: the answer to a request without a key or token names the scheme alone. */
const presentsCredential = ({ headers, query }: FastifyRequest): boolean =>
  headers['x-api-key'] !== undefined || /^Bearer /i.test(headers.authorization ?? '') || 'access_token' in (query as object);

/** The status and the headers are set. */
function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: object): void {
  const body = Buffer.from(JSON.stringify(refusal));
  const { complete, destroyed, headers } = request.raw;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (complete || destroyed || !hasBody) void reply.send(body);
  else sendBeforeTheBodyEnds(request, reply, body);
}

const methodNotAllowed = (method: string) =>
  new AppError({ kind: 'invalid', code: 'method_not_allowed', message: `This address does not support the method ${method}.` });

/** Milliseconds a client has to notice a refusal before the rest of its body is cut off. */
const LINGER_MS = 2000;

/**
 * A refused upload is not kept, but read on for a moment: a connection that is closed with bytes unread is reset, and the
 * answer on it lost. The answer is whole with its length; only its end, and so the connection's, waits.
 */
function sendBeforeTheBodyEnds({ raw }: FastifyRequest, reply: FastifyReply, body: Buffer): void {
  raw.unpipe();
  raw.resume();
  void reply.headers({ connection: 'close', 'content-length': body.length }).send(Readable.from(lingering(body, raw), { objectMode: false }));
}

async function* lingering(body: Buffer, request: IncomingMessage): AsyncGenerator<Buffer> {
  yield body;
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    const gone = () => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', gone).once('close', gone);
  });
}
