/** What went wrong in terms every edge can map: HTTP status, gRPC status, dead letter. */
export type ErrorKind =
  | 'invalid' // the caller's input is wrong and stays wrong
  | 'unauthenticated'
  | 'forbidden'
  | 'payment_required'
  | 'not_found'
  | 'conflict' // the state does not allow it now
  | 'too_large'
  | 'unsupported_media'
  | 'rate_limited'
  | 'canceled'
  | 'timeout'
  | 'unavailable' // the other side is away; worth another try
  | 'internal';

/** One wrong place in a request: `pointer` is an RFC 6901 JSON pointer into the body, or `?name` for a query parameter. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

export interface AppErrorInit {
  kind: ErrorKind;
  /** Of the public contract, snake_case: what clients switch on. */
  code: string;
  /** For a person; never holds an internal host name, a secret or transcript text. */
  message: string;
  /** Whether the same call may work later. Default: by kind. */
  retryable?: boolean;
  fields?: FieldError[];
  /** Seconds after which another try makes sense. */
  retryAfter?: number;
  cause?: unknown;
}

const RETRYABLE: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['rate_limited', 'timeout', 'unavailable']);

/** The one error of the product; everything else that is thrown is a defect and is shown as `internal`. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly code: string;
  readonly retryable: boolean;
  readonly fields: FieldError[];
  readonly retryAfter: number | undefined;

  constructor(init: AppErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.kind = init.kind;
    this.code = init.code;
    this.retryable = init.retryable ?? RETRYABLE.has(init.kind);
    this.fields = init.fields ?? [];
    this.retryAfter = init.retryAfter;
  }
}

/** Any thrown value as an AppError; a full disk is `storage_full`, what is unknown becomes `internal` with the cause kept for the log. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = (thrown as { code?: unknown } | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new AppError({ kind: 'unavailable', code: 'storage_full', message: 'The storage is full.', cause: thrown });
  }
  return new AppError({ kind: 'internal', code: 'internal', message: 'An internal error occurred.', cause: thrown });
}

/** Shorthand for the commonest one. */
export const notFound = (what: string): AppError =>
  new AppError({ kind: 'not_found', code: 'not_found', message: `${what} was not found.` });
