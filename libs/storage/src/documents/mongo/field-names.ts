/** Characters with a meaning in MongoDB's field names, or that BSON cannot store in one; and the escape itself. */
const SPECIAL = /[%.$\0]/g;
const ESCAPED = /%(25|2E|24|00)/g;

interface Escaped {
  value: unknown;
  /** True when a name was changed; otherwise no name needs to be changed back. */
  changed: boolean;
}

/** Plain JSON with names of fields that MongoDB takes everywhere: `a.b` is `a%2Eb`. */
export function escapeFieldNames(value: unknown): Escaped {
  let changed = false;
  const escape = (name: string) => {
    const escaped = name.replaceAll(SPECIAL, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
    changed ||= escaped !== name;
    return escaped;
  };
  return { value: withNames(value, escape), changed };
}

export const unescapeFieldNames = (value: unknown): unknown =>
  withNames(value, (name) => name.replaceAll(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))));

function withNames(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withNames(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines fields, so that `__proto__` is one like any other.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), withNames(item, rename)]));
}
