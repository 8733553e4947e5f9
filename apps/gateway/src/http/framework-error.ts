import { HttpException } from '@nestjs/common';
import { AppError, toAppError, type AppErrorInit } from '@parlance/platform';

const BY_STATUS: Record<number, Omit<AppErrorInit, 'message'>> = {
  400: { kind: 'invalid', code: 'malformed_request' },
  404: { kind: 'not_found', code: 'not_found' },
  406: { kind: 'invalid', code: 'malformed_request' },
  408: { kind: 'invalid', code: 'request_timeout', retryable: true },
  413: { kind: 'too_large', code: 'payload_too_large' },
  414: { kind: 'invalid', code: 'uri_too_long' },
  415: { kind: 'unsupported_media', code: 'unsupported_media_type' },
};

const MESSAGES: Record<number, string> = {
  400: 'The request could not be read.',
  404: 'Nothing is at this address.',
  406: 'The form could not be read.',
  408: 'The request did not arrive in time.',
  413: 'The request is larger than the server takes.',
  414: 'The address is longer than the server takes.',
  415: 'The media type of the body is not supported.',
};

/** What Fastify, its plug-ins and Nest throw, by the status they give it; everything unknown is internal, with its cause for the log. */
export function fromFrameworkError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const status = thrown instanceof HttpException ? thrown.getStatus() : (thrown as { statusCode?: unknown } | null)?.statusCode;
  const known = typeof status === 'number' ? BY_STATUS[status] : undefined;
  if (!known || typeof status !== 'number') return toAppError(thrown);
  return new AppError({ ...known, message: MESSAGES[status] ?? 'The request could not be read.', cause: thrown });
}
