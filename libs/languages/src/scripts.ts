import { canonicalLanguage, primaryLanguage } from './language-tag.js';

const RIGHT_TO_LEFT_SCRIPTS = new Set(['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg', 'Samr', 'Mand']);
const SPACELESS_SCRIPTS = new Set(['Hans', 'Hant', 'Hani', 'Jpan', 'Hira', 'Kana', 'Thai', 'Laoo', 'Khmr', 'Mymr']);
const CJK_SCRIPTS = new Set(['Hans', 'Hant', 'Hani', 'Jpan', 'Kore', 'Hira', 'Kana', 'Hang']);

/** The script (ISO 15924), guessed when the tag does not contain it: `Hant` of `zh-TW`, `Arab` of `ur`; `Zyyy` when unknown. */
export function scriptOf(tag: string): string {
  const canonical = canonicalLanguage(tag);
  return (canonical && new Intl.Locale(canonical).maximize().script) ?? 'Zyyy';
}

export const isRightToLeft = (tag: string): boolean => RIGHT_TO_LEFT_SCRIPTS.has(scriptOf(tag));

/** True when words of the script are written without spaces between them. */
export const isSpaceless = (tag: string): boolean => SPACELESS_SCRIPTS.has(scriptOf(tag));

/** Chinese, Japanese, Korean: their characters are as wide as two of others. */
export const isCjk = (tag: string): boolean => CJK_SCRIPTS.has(scriptOf(tag)) || primaryLanguage(tag) === 'yue';
