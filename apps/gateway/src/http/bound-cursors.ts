import { createHash } from 'node:crypto';
import { AppError } from '@parlance/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Operation } from './operation.js';

/** Characters of the digest: enough to notice a mistake. A cursor opens nothing that its caller cannot list anyway. */
const DIGEST_LENGTH = 10;

const isList = (operation: Operation | undefined): boolean => operation?.method === 'GET' && 'cursor' in operation.query.shape;

/** Adds to the `next_cursor` of each list a digest of the path and the filters that it belongs to. */
export function bindCursors(server: FastifyInstance): void {
  server.addHook('preSerialization', (request, _reply, payload, done) => {
    if (!isList(request.routeOptions.config.operation) || !hasCursor(payload)) done(null, payload);
    else done(null, { ...payload, next_cursor: `${payload.next_cursor}.${digestOf(payload.next_cursor, request)}` });
  });
}

/**
 * The cursor of the store within one of a caller. A cursor without a digest comes from an earlier version.
 * @throws AppError invalid_cursor when the request has another path or other filters than that of the cursor
 */
export function unboundCursor(cursor: string, request: FastifyRequest): string {
  const [own = '', digest, ...more] = cursor.split('.');
  if (digest === undefined) return own;
  if (more.length === 0 && digest === digestOf(own, request)) return own;
  throw new AppError({ kind: 'invalid', code: 'invalid_cursor', message: 'The cursor belongs to a list with other filters. Send it unchanged, with the filters of the page that it came from.' });
}

const hasCursor = (payload: unknown): payload is { next_cursor: string } => typeof payload === 'object' && payload !== null && 'next_cursor' in payload && typeof payload.next_cursor === 'string';

/** The size of a page is no filter. */
function digestOf(cursor: string, { url, query }: FastifyRequest): string {
  const { cursor: _cursor, limit: _limit, ...filters } = query as Record<string, unknown>;
  const [path] = url.split('?');
  const sorted = Object.entries(filters).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify([path, sorted, cursor])).digest('base64url').slice(0, DIGEST_LENGTH);
}
