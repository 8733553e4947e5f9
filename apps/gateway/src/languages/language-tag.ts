/** The tag in its canonical form (BCP 47); undefined when it is not well-formed. */
export function canonicalLanguage(tag: string): string | undefined {
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
