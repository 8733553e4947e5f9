import type { Problem } from '../../http/problem.js';
import type { CompatRefusal } from '../compat-refusal.js';

/** AssemblyAI answers everything that is wrong with a request with 400. */
const STATUSES: Readonly<Record<number, number>> = { 409: 400, 415: 400, 422: 400 };
/** AssemblyAI's fields for those of our jobs. */
const FIELDS: Readonly<Record<string, string>> = { model: 'speech_model', language: 'language_code', upload_id: 'audio_url', vocabulary: 'word_boost', replace: 'custom_spelling', diarization: 'speaker_options' };

/** The error in AssemblyAI's form, which has a text alone. */
export function assemblyAiError({ status, detail, errors: [field] = [] }: Pick<Problem, 'status' | 'detail' | 'errors'>): { status: number; body: { error: string } } {
  const name = field?.pointer.replace(/^[/?]/, '').split('/', 1)[0] ?? '';
  const error = field === undefined ? detail : [Object.hasOwn(FIELDS, name) ? FIELDS[name] : name, field.detail].filter((part) => part !== '').join(': ');
  return { status: STATUSES[status] ?? status, body: { error } };
}

/** The refusal of a request. Failures of jobs are no refusals here: they are the `error` of a transcript. */
export const assemblyAiRefusal = (problem: Problem): CompatRefusal => assemblyAiError(problem);
