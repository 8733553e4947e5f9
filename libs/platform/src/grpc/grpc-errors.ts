import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { AppError, toAppError, type ErrorKind } from '../errors/app-error.js';

const STATUS_OF: Record<ErrorKind, status> = {
  invalid: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  payment_required: status.RESOURCE_EXHAUSTED,
  not_found: status.NOT_FOUND,
  conflict: status.FAILED_PRECONDITION,
  too_large: status.OUT_OF_RANGE,
  unsupported_media: status.INVALID_ARGUMENT,
  rate_limited: status.RESOURCE_EXHAUSTED,
  canceled: status.CANCELLED,
  timeout: status.DEADLINE_EXCEEDED,
  unavailable: status.UNAVAILABLE,
  internal: status.INTERNAL,
};

const KIND_OF: Partial<Record<status, ErrorKind>> = {
  [status.CANCELLED]: 'canceled',
  [status.DEADLINE_EXCEEDED]: 'timeout',
  [status.UNAVAILABLE]: 'unavailable',
  [status.NOT_FOUND]: 'not_found',
};

const DETAIL_KEY = 'parlance-error-bin';

/** The error as a gRPC status; kind, code and fields travel in a trailer, so that the far side has the same AppError again. */
export function toGrpcError(thrown: unknown): { code: status; details: string; metadata: Metadata } {
  const error = toAppError(thrown);
  const metadata = new Metadata();
  const { kind, code, retryable, fields, retryAfter } = error;
  metadata.set(DETAIL_KEY, Buffer.from(JSON.stringify({ kind, code, retryable, fields, retryAfter })));
  return { code: STATUS_OF[kind], details: error.message, metadata };
}

/** Whether the status is an AppError that a handler threw, and not one that gRPC itself made. */
export const isAppErrorStatus = (metadata: Metadata): boolean => metadata.get(DETAIL_KEY).length > 0;

/** The AppError behind a failed call; a status without our trailer (a broken connection, a deadline) is mapped by its code. */
export function fromGrpcError(failure: ServiceError): AppError {
  const detail = failure.metadata?.get(DETAIL_KEY)[0];
  if (detail instanceof Buffer) {
    return new AppError({ ...JSON.parse(detail.toString('utf8')), message: failure.details, cause: failure });
  }
  const kind = KIND_OF[failure.code] ?? 'internal';
  const code = kind === 'unavailable' || kind === 'timeout' ? 'service_unavailable' : kind;
  return new AppError({ kind, code, message: messageOf(kind), cause: failure });
}

function messageOf(kind: ErrorKind): string {
  if (kind === 'unavailable' || kind === 'timeout') return 'A part of the service does not answer; try again.';
  return kind === 'canceled' ? 'The call was canceled.' : 'An internal error occurred.';
}
