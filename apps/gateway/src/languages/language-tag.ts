import { LRUCache } from 'lru-cache';

const MAX_CACHED_LENGTH = 64;
const canonical = new LRUCache<string, string>({ max: 500 });

/** The tag in its canonical form (BCP 47); undefined when it is not well-formed. */
export function canonicalLanguage(tag: string): string | undefined {
  const known = canonical.get(tag);
  if (known !== undefined) return known;
  const found = canonicalLocale(tag);
  if (found !== undefined && tag.length <= MAX_CACHED_LENGTH) canonical.set(tag, found);
  return found;
}

function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

export const primaryLanguage = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? '';

/** Whether an engine that states `languages` takes the tag: engines are asked by the primary language, `en` for `en-GB`. */
export const takesLanguage = (languages: readonly string[], tag: string): boolean =>
  languages.some((language) => primaryLanguage(language) === primaryLanguage(tag));
