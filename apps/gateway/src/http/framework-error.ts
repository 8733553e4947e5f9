import { HttpException } from '@nestjs/common';
import { AppError, toAppError, type ErrorCode } from '@parlance/platform';

/** By the status that the framework gives an error. */
const BY_STATUS: Readonly<Record<number, { code: ErrorCode; message: string }>> = {
  400: { code: 'malformed_request', message: 'The request could not be read.' },
  404: { code: 'not_found', message: 'There is no resource at this address.' },
  406: { code: 'malformed_request', message: 'The form could not be read.' },
  408: { code: 'request_timeout', message: 'The request did not arrive in time.' },
  413: { code: 'payload_too_large', message: 'The request is larger than the server accepts.' },
  414: { code: 'uri_too_long', message: 'The address is longer than the server accepts.' },
  415: { code: 'unsupported_media_type', message: 'The media type of the body is not supported.' },
};

/** Maps errors of Fastify, its plug-ins and Nest by their status; everything unknown is internal, with its cause for the log. */
export function fromFrameworkError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const status = thrown instanceof HttpException ? thrown.getStatus() : (thrown as { statusCode?: unknown } | null)?.statusCode;
  const known = typeof status === 'number' ? BY_STATUS[status] : undefined;
  return known ? new AppError({ ...known, cause: thrown }) : toAppError(thrown);
}
