import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describeRefusal, refusedRequest } from '../http/refusal.js';
import { entryOf, idsOfItems } from './audit-entry.js';
import type { AuditLog } from './audit-log.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Set when the server begins to listen; absent while requests are not recorded. */
    auditLog: AuditLog | undefined;
  }
  interface FastifyRequest {
    /** Ids that its handler names, of what the path does not have. */
    auditedIds: readonly string[] | null;
    /** The records of it that are there or under way. */
    audited: 'request' | 'answer' | null;
    /** The account that a sign-up created or gave a key. */
    signedUpAccount: string | null;
  }
}

const READS = new Set(['GET', 'HEAD']);
const TOO_MANY_REQUESTS = 429;

/**
 * Records every request of a known caller. A read is recorded before its answer is sent, and is not answered when that fails. A
 * change is recorded before it is made (`recordChange`), so that only its outcome is left to record, which delays no answer; unless
 * its handler named what it reads, as an export does, which that first record does not have. What is refused before it is admitted is
 * recorded as an attempt.
 */
export function recordAnswers(server: FastifyInstance): void {
  server.decorate('auditLog', undefined);
  server.decorateRequest('audited', null);
  server.decorateRequest('auditedIds', null);
  server.decorateRequest('signedUpAccount', null);
  server.addHook('preSerialization', (request, _reply, payload, done) => {
    if (request.auditedIds === null && isPage(payload)) request.auditedIds = idsOfItems(payload.data);
    done(null, payload);
  });
  server.addHook('onSend', async (request, reply, payload) => {
    const { auditLog } = server;
    if (!auditLog || request.audited === 'answer') return payload;
    const entry = entryOf(request, 'answered', reply);
    if (!entry) return payload;
    const isOutcomeAlone = request.audited === 'request' && request.auditedIds === null;
    const isAttempt = isRefusedUnadmitted(request, reply);
    request.audited = 'answer';
    if (isAttempt) auditLog.appendAttempt(entry);
    else if (isOutcomeAlone) auditLog.appendSoon(entry);
    if (isAttempt || isOutcomeAlone) return payload;
    try {
      await auditLog.record(entry, { flush: request.signedUpAccount === null ? 'soon' : 'now' });
      return payload;
    } catch (error) {
      if (isStream(payload)) payload.destroy();
      return refusedAnswer(error, request, reply);
    }
  });
}

/** Records a change, or a socket, before it is made. Nothing is to be done for a read. @throws AppError when it cannot be recorded: then it must not be made */
export function recordChange(request: FastifyRequest): void | Promise<void> {
  const { auditLog } = request.server;
  if (!auditLog || (READS.has(request.method) && !request.ws)) return;
  const entry = entryOf(request, 'requested');
  if (!entry) return;
  return auditLog.record(entry).then(() => void (request.audited = 'request'));
}

/** Names what a request reads or changes, where its path does not: call it before the answer is sent. */
export function nameResources(request: FastifyRequest, ids: readonly string[]): void {
  request.auditedIds = ids;
}

/** Records ids that an answer shows whose sending has begun. @throws AppError when they cannot be recorded: then they must not be sent */
export async function recordShown(request: FastifyRequest, reply: FastifyReply, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  nameResources(request, ids);
  const entry = entryOf(request, 'answered', reply);
  if (entry) await request.server.auditLog?.record(entry, { flush: 'soon' });
}

/** Refused before it counts for its rate, or for its rate: a flood of such requests must not fill the log. */
const isRefusedUnadmitted = ({ audited, refusedCaller }: FastifyRequest, { statusCode }: FastifyReply): boolean => audited === null && (refusedCaller !== null || statusCode === TOO_MANY_REQUESTS);

const isPage = (payload: unknown): payload is { data: unknown[] } => Array.isArray((payload as { data?: unknown } | null)?.data) && 'next_cursor' in (payload as object);

const isStream = (payload: unknown): payload is { destroy(): void } => typeof (payload as { destroy?: unknown } | null)?.destroy === 'function';

/** The headers of an answer that do not depend on its contents. */
const KEPT_HEADERS = new Set(['x-request-id', 'x-content-type-options', 'vary', 'ratelimit', 'ratelimit-policy']);

/** The body in place of that of an answer that could not be recorded. */
function refusedAnswer(error: unknown, request: FastifyRequest, reply: FastifyReply): string {
  const { status, headers, body } = describeRefusal(error, refusedRequest(request));
  for (const name of Object.keys(reply.getHeaders())) if (!KEPT_HEADERS.has(name) && !name.startsWith('access-control-')) reply.removeHeader(name);
  reply.status(status).headers(headers);
  return JSON.stringify(body);
}
