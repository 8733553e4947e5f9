import type { FieldError } from '@parlance/platform';

type Parameters = Record<string, unknown>;

const keyOf = (name: string): string | undefined => /^metadata\[([^\]]*)\]$/.exec(name)?.[1];

/** True for a parameter of the filter, which is written as `metadata=key:value` or as `metadata[key]=value`. */
export const isMetadataParameter = (name: string): boolean => name === 'metadata' || keyOf(name) !== undefined;

/** The filter as an object, of all its parameters; undefined without any. A pair that cannot be read is left out. */
export function metadataFilter(given: Parameters): Record<string, unknown> | undefined {
  const named = Object.entries(given).flatMap(([name, value]) => {
    const key = keyOf(name);
    return key === undefined ? [] : [[key, value] as const];
  });
  const pairs = [...named, ...textsOf(given).map(pairOf).filter((pair) => pair !== undefined)];
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

/** The parameters `metadata` that are no pair, and keys that are given more than once: no job has two values of one key. */
export function metadataErrors(given: Parameters): FieldError[] {
  const pairs = textsOf(given).map(pairOf);
  const keys = [...pairs.flatMap((pair) => pair?.[0] ?? []), ...Object.keys(given).flatMap((name) => keyOf(name) ?? [])];
  if (pairs.includes(undefined)) return [{ pointer: '?metadata', code: 'invalid_format', detail: 'Write a pair as metadata=key:value.' }];
  if (new Set(keys).size < keys.length) return [{ pointer: '?metadata', code: 'invalid_value', detail: 'A key may be given only once.' }];
  return [];
}

const textsOf = ({ metadata = [] }: Parameters): string[] => [metadata].flat().map(String);

/** A key and its value, which may contain colons. */
function pairOf(text: string): [key: string, value: string] | undefined {
  const colon = text.indexOf(':');
  return colon > 0 ? [text.slice(0, colon), text.slice(colon + 1)] : undefined;
}
