/** Tags that ICU does not canonicalize although they name the same language as a more common tag. */
const SAME_LANGUAGE: Readonly<Record<string, string>> = { no: 'nb' };

/** `zh-yue` for `yue`, which ICU does not read (RFC 5646, section 2.2.2). */
const EXTENDED_LANGUAGE = /^[a-z]{2,3}-([a-z]{3})(?=-|$)/i;

/**
 * The tag in its canonical form (BCP 47, RFC 5646 section 4.5, by the tables of CLDR): `iw` is `he`, `PT-br` is `pt-BR`,
 * `zh-cmn-hant` is `zh-Hant`; undefined when it is not well-formed.
 */
export function canonicalLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replace(EXTENDED_LANGUAGE, '$1'))[0];
  } catch {
    return undefined;
  }
}

/** The language without script, region and variants: `zh` of `zh-Hant-TW`. */
export const primaryLanguage = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? '';

/** True when two tags name one language, whatever their script and region: `nb` and `no`, `iw` and `he-IL`. */
export const isSameLanguage = (one: string, other: string): boolean => identityOf(one) === identityOf(other);

/** The English name of the language, or the tag itself when there is none. */
export const languageName = (tag: string): string => (isWellFormed(tag) ? (names.of(tag) ?? tag) : tag);

const names = new Intl.DisplayNames('en', { type: 'language' });

const isWellFormed = (tag: string): boolean => canonicalLanguage(tag) !== undefined;

const identities = new Map<string, string>();
const KNOWN_TAGS = 1000;

function identityOf(tag: string): string {
  let identity = identities.get(tag);
  if (identity === undefined) {
    const primary = primaryLanguage(canonicalLanguage(tag) ?? tag);
    identity = SAME_LANGUAGE[primary] ?? primary;
    if (identities.size < KNOWN_TAGS && tag.length <= 35) identities.set(tag, identity);
  }
  return identity;
}
