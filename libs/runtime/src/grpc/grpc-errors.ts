import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { AppError, receivedError, toAppError, type AppErrorInit, type SentError } from '@parlance/platform';

const STATUS_OF: Record<AppError['kind'], status> = {
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

const AWAY = { code: 'service_unavailable', message: 'A part of the service does not respond; try again.' } as const;
const UNKNOWN = { code: 'internal', message: 'An internal error occurred.' } as const;

/** Maps a status that gRPC itself created. */
const OF_STATUS: Partial<Record<status, AppErrorInit>> = {
  [status.CANCELLED]: { code: 'canceled', message: 'The call was canceled.' },
  [status.DEADLINE_EXCEEDED]: { kind: 'timeout', ...AWAY },
  [status.UNAVAILABLE]: AWAY,
  [status.NOT_FOUND]: { ...UNKNOWN, code: 'not_found' },
};

const DETAIL_KEY = 'parlance-error-bin';

/** The error as a gRPC status; kind, code and fields travel in a trailer, so that the far side has the same AppError again. */
export function toGrpcError(thrown: unknown): { code: status; details: string; metadata: Metadata } {
  const error = toAppError(thrown);
  const metadata = new Metadata();
  const { kind, code, retryable, fields, reason, retryAfter } = error;
  metadata.set(DETAIL_KEY, Buffer.from(JSON.stringify({ kind, code, retryable, fields, reason, retryAfter })));
  return { code: STATUS_OF[kind], details: error.message, metadata };
}

/** The gRPC status that an error has. */
export const statusOf = ({ kind }: AppError): status => STATUS_OF[kind];

/** True when the status is an AppError that a handler threw, false when gRPC itself created it. */
export const isAppErrorStatus = (metadata: Metadata): boolean => metadata.get(DETAIL_KEY).length > 0;

/** The AppError behind a failed call; a status without our trailer (a broken connection, a deadline) is mapped by its code. */
export function fromGrpcError(failure: ServiceError): AppError {
  const detail = failure.metadata?.get(DETAIL_KEY)[0];
  if (detail instanceof Buffer) {
    return receivedError({ ...(JSON.parse(detail.toString('utf8')) as SentError), message: failure.details }, failure);
  }
  return new AppError({ ...(OF_STATUS[failure.code] ?? UNKNOWN), cause: failure });
}
