import { ApiError, ConnectionError, JobFailedError, LiveSessionError, ParlanceError, TimeoutError, UnexpectedResponseError } from '@parlance/client';
import { EXIT, type ExitCode } from './exit-codes.js';

/** A failure whose message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failure,
  ) {
    super(message);
  }
}

/** A command line that cannot be run. */
export const usageError = (message: string) => new CommandError(message, EXIT.usage);

/** Ctrl-C or SIGTERM. `notes` say what continues on the server and how to take it up. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly exitCode = EXIT.interrupted;

  constructor(readonly notes: readonly string[] = []) {
    super('Interrupted.');
  }
}

/** One line for people, and the exit code. */
export interface Failure {
  message: string;
  exitCode: ExitCode;
}

const LIMITS = new Set(['quota_exhausted', 'key_budget_exhausted', 'storage_quota_exhausted']);

/** A live session that was open has a code and no status. */
const REFUSALS_OF_KEYS = new Set(['unauthenticated', 'insufficient_scope', 'account_disabled']);

const ADVICE: Record<string, string> = {
  unauthenticated: 'Store a valid key with `parlance login`, or set PARLANCE_API_KEY.',
  insufficient_scope: 'Use a key with this scope.',
  account_disabled: 'Ask the operator of the server.',
  quota_exhausted: 'See `parlance usage`, and ask the operator of the server for more.',
  key_budget_exhausted: 'Use another key, or raise the budget of this one.',
  storage_quota_exhausted: 'Delete recordings, or ask the operator of the server for more.',
  model_unknown: '`parlance doctor` lists the models of the server.',
  language_unsupported: '`parlance doctor` lists the models and the number of their languages.',
  media_empty: 'Give a recording that is not empty.',
  not_found: 'Check the id, and that the key is of the account that has it: `parlance list`.',
};

/** Says what went wrong in a command that called the server at `baseUrl`. */
export function failureOf(error: unknown, baseUrl = 'the server'): Failure {
  if (error instanceof CommandError || error instanceof Interruption) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof UnexpectedResponseError) return { message: unexpected(error, baseUrl), exitCode: EXIT.failure };
  if (error instanceof ApiError) return { message: refusal(error), exitCode: exitCodeOfStatus(error) };
  if (error instanceof JobFailedError) return { message: sentence(`${error.job.error?.message ?? error.message} (${error.code}, ${error.job.job_id})`), exitCode: EXIT.failure };
  if (error instanceof TimeoutError) return { message: `${baseUrl} did not answer in time. Try again later, or run \`parlance doctor\`.`, exitCode: EXIT.failure };
  if (error instanceof ConnectionError) return { message: `There is no connection to ${baseUrl}${causeOf(error)}. Check that the server runs and that the address is right, or run \`parlance doctor\`.`, exitCode: EXIT.failure };
  if (error instanceof LiveSessionError) return { message: [sentence(error.message), ADVICE[error.code]].filter(Boolean).join(' '), exitCode: exitCodeOfLive(error) };
  if (error instanceof ParlanceError) return { message: error.message, exitCode: EXIT.failure };
  return { message: error instanceof Error ? fileProblem(error) : String(error), exitCode: EXIT.failure };
}

function refusal({ code, message, problem, requestId, status, headers }: ApiError): string {
  const wait = status === 429 ? ` Try again in ${headers.get('retry-after') ?? 'some'} seconds.` : '';
  const fields = problem?.errors?.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`) ?? [];
  const advice = ADVICE[code] ?? '';
  return `${[...(fields.length > 0 ? fields : [problem?.detail ?? message]).map(sentence), advice].filter(Boolean).join(' ')}${wait} (${code}${requestId ? `, request ${requestId}` : ''})`;
}

function exitCodeOfStatus({ status, code }: ApiError): ExitCode {
  if (status === 429 || LIMITS.has(code)) return EXIT.limited;
  return status === 401 || status === 403 ? EXIT.auth : EXIT.failure;
}

function exitCodeOfLive({ code }: LiveSessionError): ExitCode {
  if (LIMITS.has(code)) return EXIT.limited;
  return REFUSALS_OF_KEYS.has(code) ? EXIT.auth : EXIT.failure;
}

function unexpected({ status, headers }: UnexpectedResponseError, baseUrl: string): string {
  const type = headers.get('content-type')?.split(';')[0] ?? 'no content type';
  return `${baseUrl} answered with ${type} (status ${status}), which is not Parlance. Check the address, and the proxies in front of the server.`;
}

/** The system's code of a failed connection, such as ECONNREFUSED, which `fetch` has below its own error. */
function causeOf(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code) return ` (${code})`;
  }
  return '';
}

const FILE_PROBLEMS: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read or written: permission denied',
  EISDIR: 'is a folder; to transcribe a folder, use --watch',
  ENOSPC: 'cannot be written: the disk is full',
};

function fileProblem(error: NodeJS.ErrnoException): string {
  const problem = FILE_PROBLEMS[error.code ?? ''];
  return problem && error.path ? `${error.path} ${problem}.` : error.message;
}

const sentence = (text: string) => (/[.!?)]$/.test(text) ? text : `${text}.`);
