import { canonicalLanguage, isCjk, isRightToLeft, scriptOf } from '@parlance/languages';

/** A document names fonts, and the reader's machine has them or a like one: those of Office, which LibreOffice knows to replace. */
const COMPLEX_FONTS: Readonly<Record<string, string>> = {
  Thai: 'Leelawadee UI', Laoo: 'Leelawadee UI', Khmr: 'Leelawadee UI', Mymr: 'Myanmar Text', Ethi: 'Ebrima', Tibt: 'Microsoft Himalaya',
  Deva: 'Nirmala UI', Beng: 'Nirmala UI', Guru: 'Nirmala UI', Gujr: 'Nirmala UI', Taml: 'Nirmala UI', Telu: 'Nirmala UI',
  Knda: 'Nirmala UI', Mlym: 'Nirmala UI', Sinh: 'Nirmala UI',
};
const EAST_ASIAN_FONTS: Readonly<Record<string, string>> = { Jpan: 'Yu Gothic', Kore: 'Malgun Gothic', Hant: 'Microsoft JhengHei' };

/** The fonts of a document of this language, for Latin, East Asian and complex scripts. */
export const docxFonts = (language: string): string => {
  const script = scriptOf(language);
  const eastAsian = EAST_ASIAN_FONTS[script] ?? 'Microsoft YaHei';
  return `<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:eastAsia="${eastAsian}" w:cs="${COMPLEX_FONTS[script] ?? 'Arial'}"/>`;
};

/** For the spelling checker: each kind of script has a language of its own. */
export function docxLanguage(language: string): string {
  const tag = canonicalLanguage(language) ?? 'und';
  if (tag === 'und') return '';
  const complex = isRightToLeft(tag) || COMPLEX_FONTS[scriptOf(tag)] !== undefined;
  return `<w:lang w:${isCjk(tag) ? 'eastAsia' : complex ? 'bidi' : 'val'}="${tag}"/>`;
}

/** True when Word sets a text of this language by its rules for complex scripts. */
export const isComplex = (language: string): boolean => COMPLEX_FONTS[scriptOf(language)] !== undefined;
