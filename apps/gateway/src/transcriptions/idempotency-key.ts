import { AppError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';

const FORM = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** @throws AppError malformed_request when the header cannot be a key */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && FORM.test(key)) return key;
  throw new AppError({ kind: 'invalid', code: 'malformed_request', message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.' });
}
