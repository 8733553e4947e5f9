import type { ErrorEntry, ErrorKind, FailureReporter } from './error-entry.js';
import { INTERNAL_ERRORS } from './internal-errors.js';
import { LIVE_ERRORS } from './live-errors.js';
import { PUBLIC_ERRORS } from './public-errors.js';

export const ERRORS = { ...PUBLIC_ERRORS, ...LIVE_ERRORS, ...INTERNAL_ERRORS } as const;

/** A code that an error can be thrown with; a new one needs an entry first. Within version 1 of the API public codes are only added. */
export type ErrorCode = keyof typeof ERRORS;

type KindsIn<E> = E extends { otherKinds: readonly (infer K)[] } ? K : never;
/** The kinds that a code is thrown with. */
export type KindOf<C extends ErrorCode> = (typeof ERRORS)[C]['kind'] | KindsIn<(typeof ERRORS)[C]>;

/** Codes whose entry has this part. */
export type CodeWith<Part extends 'problem' | 'failure'> = { [C in ErrorCode]: (typeof ERRORS)[C] extends Record<Part, unknown> ? C : never }[ErrorCode];

const STATUS_OF_KIND: Record<ErrorKind, number> = {
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  payment_required: 402,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  canceled: 503,
  timeout: 503,
  unavailable: 503,
  internal: 500,
};

const RETRYABLE_KINDS: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['rate_limited', 'timeout', 'unavailable']);

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);
export const errorEntry = (code: ErrorCode): ErrorEntry => ERRORS[code];

/** The entry of a code that another process sent, which may be of a newer version; undefined when it is not known here. */
export const knownEntry = (code: string): ErrorEntry | undefined => (isErrorCode(code) ? ERRORS[code] : undefined);

export const httpStatusOf = (code: ErrorCode): number => errorEntry(code).status ?? STATUS_OF_KIND[errorEntry(code).kind];
/** @param code may be one that another process sent */
export const isRetryable = (code: string, kind: ErrorKind | undefined = knownEntry(code)?.kind): boolean => knownEntry(code)?.retryable ?? (kind !== undefined && RETRYABLE_KINDS.has(kind));

/** True when this part of the product passes the message of an error with this code to the job's owner unchanged. */
export const isReportedBy = (reporter: FailureReporter, code: string): boolean => knownEntry(code)?.failure?.reportedBy.includes(reporter) ?? false;

/** Codes of failed jobs and stages, with what each means. */
export const FAILURE_TEXTS = textsOf(({ failure }) => failure?.text);

function textsOf(textOf: (entry: ErrorEntry) => string | undefined): Readonly<Record<string, string>> {
  const all: [string, ErrorEntry][] = Object.entries(ERRORS);
  return Object.fromEntries(all.flatMap(([code, entry]) => (textOf(entry) === undefined ? [] : [[code, textOf(entry) as string]])));
}
