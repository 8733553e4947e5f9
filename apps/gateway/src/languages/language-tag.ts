import { canonicalLanguage as canonicalOf, isSameLanguage } from '@parlance/languages';
import { LRUCache } from 'lru-cache';

const MAX_CACHED_LENGTH = 64;
const canonical = new LRUCache<string, string>({ max: 500 });

/** The tag in its canonical form (BCP 47); undefined when it is not well-formed. */
export function canonicalLanguage(tag: string): string | undefined {
  const known = canonical.get(tag);
  if (known !== undefined) return known;
  const found = canonicalOf(tag);
  if (found !== undefined && tag.length <= MAX_CACHED_LENGTH) canonical.set(tag, found);
  return found;
}

/** True when an engine that lists `languages` accepts the tag: engines get the primary language, `en` for `en-GB`. */
export const takesLanguage = (languages: readonly string[], tag: string): boolean => languages.some((language) => isSameLanguage(language, tag));
