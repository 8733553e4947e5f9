import { AppError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';

/** 1 to 255 visible ASCII characters, and blanks between them. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** The Idempotency-Key of a request; apart for each project whose keys are bound to it. @throws AppError malformed_request when the header cannot be a key */
export function idempotencyKeyOf({ headers, raw, caller }: Pick<FastifyRequest, 'headers' | 'raw' | 'caller'>): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) throw malformed('Idempotency-Key must be 1 to 255 visible ASCII characters.');
  // Node makes one of several, with commas between: another key than each of them.
  if (key.includes(',') && raw.headersDistinct['idempotency-key']?.length !== 1) throw malformed('Idempotency-Key may be given only once.');
  return keyWithin(caller?.projectId, key);
}

/** The key as it is stored: those of a project are apart. */
export const keyWithin = (projectId: string | undefined, key: string): string => (projectId === undefined ? key : `${projectId} ${key}`);

const malformed = (message: string) => new AppError({ kind: 'invalid', code: 'malformed_request', message });
