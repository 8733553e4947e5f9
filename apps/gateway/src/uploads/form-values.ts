import { jsonOverrun } from '../http/json-bounds.js';
import type { FormFields } from './form-reader.js';

/** Fields that are a boolean or have a form that is one. */
const BOOLEAN_FIELDS = new Set(['diarization', 'summary', 'highlights', 'numerals', 'chapters', 'entities']);
/** Booleans as Python writes them, and as numbers. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([['True', true], ['1', true], ['False', false], ['0', false]]);

/** Fields whose text is JSON, as they are objects, lists, numbers or booleans. */
const JSON_FIELDS = new Set(['audio_headers', 'callback_headers', 'callback_include', 'diarization', 'summary', 'highlights', 'chapters', 'entities', 'vocabulary', 'replace', 'numerals', 'filters', 'redaction', 'channel_names', 'metadata', 'retention_hours', 'media_retention_hours', 'result_key']);

/**
 * The fields of a form as the JSON body would have them. `vocabulary` may be given once a term, `metadata` also as
 * `metadata[key]`; text that is no JSON stays text, for the validation to refuse.
 */
export function formValues(fields: FormFields): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const pairs: [string, unknown][] = [];
  for (const [name, given] of Object.entries(fields)) {
    const key = /^metadata\[([^\]]+)\]$/.exec(name)?.[1];
    if (key === undefined) values[name] = JSON_FIELDS.has(name) || isObjectText(name, given) ? jsonValue(name, given) : given;
    else pairs.push([key, given]);
  }
  if (pairs.length === 0) return values;
  const metadata = values.metadata ?? {};
  return isObject(metadata) ? { ...values, metadata: { ...metadata, ...Object.fromEntries(pairs) } } : values;
}

/** `language` is a tag, or an object. */
const isObjectText = (name: string, given: string | string[]): boolean => name === 'language' && typeof given === 'string' && given.trimStart().startsWith('{');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

function jsonValue(name: string, given: string | string[]): unknown {
  if (Array.isArray(given)) return given;
  if (BOOLEAN_FIELDS.has(name) && BOOLEANS.has(given)) return BOOLEANS.get(given);
  const value = parsed(given);
  return name === 'vocabulary' && !Array.isArray(value) ? [given] : value;
}

function parsed(text: string): unknown {
  if (jsonOverrun(Buffer.from(text)) !== undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
