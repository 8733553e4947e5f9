import type { Problem } from '../http/problem.js';
import { assemblyAiRefusal } from './assemblyai/assemblyai-error.js';
import { asrRefusal } from './asr/asr-error.js';
import type { CompatRefusal } from './compat-refusal.js';
import { deepgramRefusal } from './deepgram/deepgram-error.js';
import { openAiRefusal } from './openai/openai-error.js';

/** The form of another vendor's API. */
interface CompatForm {
  refusal: (problem: Problem) => CompatRefusal;
  /** The headers in which its clients send the key, for the error of a request without one. */
  keyForms: string;
}

const OPENAI: CompatForm = { refusal: openAiRefusal, keyForms: 'Authorization: Bearer <API_KEY>' };

const FORMS: ReadonlyMap<string, CompatForm> = new Map([
  ['openai', OPENAI],
  ['deepgram', { refusal: deepgramRefusal, keyForms: 'Authorization: Token <API_KEY>, or Authorization: Bearer <API_KEY>' }],
  ['assemblyai', { refusal: assemblyAiRefusal, keyForms: 'Authorization: <API_KEY>' }],
  ['asr', { refusal: asrRefusal, keyForms: 'the key as the password in the URL (http://any:<API_KEY>@host), Authorization: Bearer <API_KEY>, or X-API-Key' }],
]);

const COMPAT_PATH = /^\/compat\/([a-z]+)(?=$|[/?])/;
const OPENAI_ROOT = /^\/v1(?=$|[/?])/;

/** The form of the API that a path belongs to; undefined for our own. @param path as it is routed: that of an API at the root is under `/compat` */
export function compatFormOf(path: string): CompatForm | undefined {
  return OPENAI_ROOT.test(path) ? OPENAI : FORMS.get(COMPAT_PATH.exec(path)?.[1] ?? '');
}
