import type { Problem } from '../../http/problem.js';
import type { CompatRefusal } from '../compat-refusal.js';

const THE_FILE = ['body', 'audio_file'];
/** The pointers to the file: that of the form, and those of a job that could not read it. */
const OF_THE_FILE: ReadonlySet<string> = new Set(['', '/file', '/audio_file']);

/** The place of a wrong value, as FastAPI names it. */
const placeOf = (pointer: string): string[] => (OF_THE_FILE.has(pointer) ? THE_FILE : ['query', pointer.replace(/^[/?]/, '')]);

/** The error in the form of FastAPI, on which whisper-asr-webservice is built: a list for wrong values, otherwise a text. */
export function asrError({ status, code, detail, errors = [] }: Pick<Problem, 'status' | 'code' | 'detail' | 'errors'>): { status: number; body: object } {
  const isInvalid = status === 400 || status === 422;
  // An error of the file as a whole has no pointer.
  if (isInvalid && errors.length === 0 && code.startsWith('media_')) return { status: 422, body: { detail: [{ type: code, loc: THE_FILE, msg: detail }] } };
  if (!isInvalid || errors.length === 0) return { status, body: { detail } };
  return { status: 422, body: { detail: errors.map(({ pointer, code, detail: msg }) => ({ type: code, loc: placeOf(pointer), msg })) } };
}

/** The refusal of a request. A failure that would only be repeated has the status of an exception in whisper-asr-webservice. */
export function asrRefusal(problem: Problem): CompatRefusal {
  const isFailure = problem.status === 503 && !problem.retryable;
  const { status, body } = asrError(isFailure ? { ...problem, status: 500 } : problem);
  return { status, body, ...(status === 401 && { headers: { 'www-authenticate': 'Basic realm="parlance"' } }) };
}
