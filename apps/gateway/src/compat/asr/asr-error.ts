import { Catch } from '@nestjs/common';
import type { Problem } from '../../http/problem.js';
import { CompatErrorFilter } from '../compat-error-filter.js';

/** The place of a wrong value, as FastAPI names it. */
const placeOf = (pointer: string): string[] => (pointer === '/audio_file' ? ['body', 'audio_file'] : ['query', pointer.replace(/^[/?]/, '')]);

/** The error in the form of FastAPI, on which whisper-asr-webservice is built: a list for wrong values, otherwise a text. */
export function asrError({ status, detail, errors = [] }: Pick<Problem, 'status' | 'detail' | 'errors'>): { status: number; body: object } {
  const isInvalid = (status === 400 || status === 422) && errors.length > 0;
  if (!isInvalid) return { status, body: { detail } };
  return { status: 422, body: { detail: errors.map(({ pointer, code, detail: msg }) => ({ type: code, loc: placeOf(pointer), msg })) } };
}

@Catch()
export class AsrErrorFilter extends CompatErrorFilter {
  protected answerOf(problem: Problem): { status: number; body: object } {
    return asrError(problem);
  }
}
