import { hash } from 'node:crypto';
import { AppError } from '@parlance/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A tag of the parts that an answer is made of: equal parts, equal tag. Weak, because the answer may be compressed. */
export const tagOf = (...parts: readonly unknown[]): string => `W/"${hash('sha1', JSON.stringify(parts), 'base64url')}"`;

/** The tag that an answer of these bytes gets when its handler gives it none. */
export const tagOfBytes = (payload: string | Buffer): string => `W/"${hash('sha1', payload, 'base64url')}"`;

/** The tag of a resource that counts its changes. */
export const versionTag = (version: number | string): string => `W/"${version}"`;

/**
 * Gives every answer to a GET that is whole a tag of its bytes, unless its handler gave it one, and answers 304 to a client
 * that has it already (RFC 9110, section 13.1.2). Answers with secrets have none.
 */
export function tagAnswers(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const { method } = request;
    if ((method !== 'GET' && method !== 'HEAD') || reply.statusCode !== 200) return done();
    if (typeof reply.getHeader('cache-control') !== 'string') reply.header('cache-control', request.caller ? 'private, no-cache' : 'no-cache');
    const etag = tagOfAnswer(reply, payload);
    if (etag === undefined || !matchesTag(request.headers['if-none-match'], etag)) return done();
    if (isStream(payload)) payload.destroy();
    reply.status(304).removeHeader('content-type').removeHeader('content-length').removeHeader('content-disposition');
    done(null, null);
  });
}

function tagOfAnswer(reply: FastifyReply, payload: unknown): string | undefined {
  const given = reply.getHeader('etag');
  if (typeof given === 'string') return given;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return undefined;
  if (String(reply.getHeader('cache-control')).includes('no-store')) return undefined;
  const etag = tagOfBytes(payload);
  reply.header('etag', etag);
  return etag;
}

const isStream = (payload: unknown): payload is { destroy(): void } => typeof (payload as { destroy?: unknown } | null)?.destroy === 'function';

/** True when If-None-Match contains the tag, by weak comparison (RFC 9110, section 13.1.2). */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** One tag, and what follows it in a list. */
const TAG = /^(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;

/**
 * The states in If-Match, without quotes; empty when any state will do. The comparison is weak: a tag changes with every change
 * of its resource, and is weak only because answers are compressed. @throws AppError malformed_request
 */
export function ifMatchOf({ headers }: Pick<FastifyRequest, 'headers'>): string[] {
  const header = headers['if-match']?.trim();
  if (header === undefined || header === '*') return [];
  const tags = header.split(',').map((tag) => TAG.exec(tag.trim())?.[1]);
  if (tags.every((tag) => tag !== undefined)) return tags;
  throw new AppError({ kind: 'invalid', code: 'malformed_request', message: 'If-Match must be a list of ETags in quotes, or *.' });
}

export const IF_MATCH = { 'If-Match': 'The `ETag` of the resource as it was read: 412 when it was changed since. Without it, the last change wins.' };
export const ETAG = { ETag: 'Changes with every change of the resource; send it back in `If-Match`.' };
