import type { ErrorKind } from './error-entry.js';
import { type ErrorCode, errorEntry, isRetryable, type KindOf } from './error-registry.js';
import { exhaustedResource } from './exhausted-resource.js';
import type { StateReason } from './state-reasons.js';

export type { ErrorCode, ErrorKind };

/** One wrong place in a request: `pointer` is an RFC 6901 JSON pointer into the body, or `?name` for a query parameter. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

export interface AppErrorInit<C extends ErrorCode = ErrorCode> {
  /** The code that callers branch on; its entry is in the error registry. */
  code: C;
  /** Default: the first kind of the code. */
  kind?: KindOf<C>;
  /** For a person; never holds an internal host name, a secret or transcript text. */
  message: string;
  /** True when the same call may succeed later. Default: by code and kind. */
  retryable?: boolean;
  fields?: FieldError[];
  /** Says to programs why the code is `invalid_state`. */
  reason?: StateReason;
  /** Seconds after which another try makes sense. */
  retryAfter?: number;
  cause?: unknown;
}

/** The one error of the product; everything else that is thrown is a defect and is shown as `internal`. */
export class AppError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly fields: FieldError[];
  readonly reason: StateReason | undefined;
  readonly retryAfter: number | undefined;

  constructor(init: AppErrorInit<C>) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.kind = init.kind ?? errorEntry(init.code).kind;
    this.code = init.code;
    this.retryable = init.retryable ?? isRetryable(init.code, this.kind);
    this.fields = init.fields ?? [];
    this.reason = init.reason;
    this.retryAfter = init.retryAfter;
  }
}

/**
 * Any thrown value as an AppError. A full disk is `storage_full`, descriptors or memory that are used up `service_unavailable`;
 * what is unknown becomes `internal` with the cause kept for the log.
 */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const exhausted = exhaustedResource(thrown);
  if (exhausted) return new AppError({ ...exhausted, cause: thrown });
  return new AppError({ code: 'internal', message: 'An internal error occurred.', cause: thrown });
}

/** The form in which an error is sent between processes and threads, where it loses its class. */
export interface SentError {
  kind: ErrorKind;
  code: string;
  message: string;
  retryable?: boolean;
  fields?: FieldError[];
  reason?: string;
  retryAfter?: number;
}

/** The error that another process or thread has sent. Its code may be one of a newer version, which this registry does not have. */
export const receivedError = (sent: SentError, cause?: unknown): AppError => new AppError({ ...(sent as AppErrorInit), cause });

/** Shorthand for the commonest one. */
export const notFound = (what: string): AppError => new AppError({ code: 'not_found', message: `${what} was not found.` });

/** For one more than there may be. */
export const limitReached = (message: string): AppError => new AppError({ kind: 'conflict', code: 'invalid_state', reason: 'limit_reached', message });

const MAX_LENGTH = 1000;

/** The reason of a dead letter: the error's code and, for the operator, its own message. */
export function failureReason(thrown: unknown): string {
  const { code } = toAppError(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return `${code}: ${message}`.slice(0, MAX_LENGTH);
}
