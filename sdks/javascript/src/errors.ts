import type { Schemas, Transcription } from './schemas.js';

export type Problem = Schemas['Problem'];

/** The parts of a call that may take too long: the head of the response, the next bytes of its body, the call with its retries, or a wait for a job. */
export type TimeoutPhase = 'connect' | 'read' | 'total' | 'wait';

/** Every error of this package. */
export class ParlanceError extends Error {
  override readonly name: string = 'ParlanceError';
  /** True when the same call may succeed later. */
  readonly retryable: boolean = false;
  /** The `Idempotency-Key` of the call: repeated with it, the call is performed once. */
  idempotencyKey?: string;
  /** The number of times that the request was sent. */
  attempts?: number;
  /** The job that the call created or waited for. */
  jobId?: string;

  constructor(message = '', options?: ErrorOptions) {
    super(oneLine(message), options);
  }

  /** Adds a sentence that says what to do. */
  advise(advice: string): void {
    this.message += ` ${advice}`;
  }
}

/** The server refused the call. Branch on `code`. */
export class ApiError extends ParlanceError {
  override readonly name: string = 'ApiError';
  override readonly retryable: boolean;
  readonly code: string;
  readonly requestId: string | undefined;

  constructor(
    readonly status: number,
    readonly problem: Problem | undefined,
    readonly headers: Headers,
    message = problem ? `${problem.code}: ${problem.detail}` : `The server answered with status ${status}.`,
  ) {
    super(message);
    this.code = problem?.code ?? `http_${status}`;
    this.requestId = problem?.request_id ?? headers.get('x-request-id') ?? undefined;
    this.retryable = problem?.retryable ?? isTransient(status);
  }
}

/** The answer is not one of Parlance, for instance the HTML page of a proxy. Check the base URL and what is in front of the server. */
export class UnexpectedResponseError extends ApiError {
  override readonly name = 'UnexpectedResponseError';

  /** @param excerpt the beginning of the body */
  constructor(
    status: number,
    headers: Headers,
    readonly excerpt: string,
  ) {
    super(status, undefined, headers, `The answer (status ${status}, ${headers.get('content-type') ?? 'no content type'}) is not one of Parlance. Check the base URL and the proxies in front of the server.`);
  }
}

/** The server could not be reached, or the connection broke. */
export class ConnectionError extends ParlanceError {
  override readonly name = 'ConnectionError';
  override readonly retryable = true;
}

export class TimeoutError extends ParlanceError {
  override readonly name = 'TimeoutError';
  override readonly retryable = true;

  constructor(
    readonly phase: TimeoutPhase,
    milliseconds: number,
    jobId?: string,
  ) {
    super(jobId ? `The job ${jobId} has not ended after ${milliseconds} ms. It continues: wait again, or cancel it.` : `The ${phase} time-out of ${milliseconds} ms has passed.`);
    if (jobId) this.jobId = jobId;
  }
}

/** The job that was waited for has failed or was canceled. */
export class JobFailedError extends ParlanceError {
  override readonly name = 'JobFailedError';
  override readonly retryable: boolean;
  readonly code: string;

  constructor(readonly job: Transcription) {
    const { job_id: id, status, error } = job;
    super(`The job ${id} is ${status}${error ? `: ${error.code}: ${error.message}` : '.'}`);
    this.jobId = id;
    this.code = error?.code ?? status;
    this.retryable = error?.retryable ?? false;
  }
}

/** A webhook that must not be processed. */
export class WebhookVerificationError extends ParlanceError {
  override readonly name = 'WebhookVerificationError';
}

/** A live session that cannot be continued. Its job has everything that was acknowledged. */
export class LiveSessionError extends ParlanceError {
  override readonly name = 'LiveSessionError';

  constructor(
    readonly code: string,
    message: string,
    override readonly retryable = false,
    readonly requestId?: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** The error with the key of the call that it ended. */
export function withKey<Thrown>(error: Thrown, idempotencyKey: string | undefined): Thrown {
  if (!(error instanceof ParlanceError) || idempotencyKey === undefined || idempotencyKey === error.idempotencyKey) return error;
  error.idempotencyKey = idempotencyKey;
  if (isUnknown(error)) error.advise('Repeated with its idempotencyKey, the call is performed once.');
  return error;
}

/** True when the server may have performed the call: its answer was lost, or a proxy has answered in its place, for instance after a time-out of its own. */
function isUnknown(error: ParlanceError): boolean {
  return error instanceof ConnectionError || error instanceof TimeoutError || (error instanceof UnexpectedResponseError && error.retryable);
}

/** The error with the job that the call waited for, which continues where the connection alone has failed. */
export function withJob<Thrown>(error: Thrown, jobId: string): Thrown {
  if (!(error instanceof ParlanceError) || error.jobId) return error;
  error.jobId = jobId;
  if (error.retryable) error.advise(`The job ${jobId} continues: wait for it again.`);
  return error;
}

/** Texts of a server, which are a part of messages, must not begin a line of their own in a log, nor control a terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

/** True when a request that was answered with the status may succeed later. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}
