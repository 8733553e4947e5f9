import validator, { type IdentityCardLocale } from 'validator';
import { checkedParts } from './checked-parts.js';
import { isDigits, numberRuns } from './number-runs.js';
import type { PlaceFinder, RedactedPlace } from './policy.js';

/** Numbers of people that validator checks by their check digits, by region. */
const TAX_NUMBERS: Readonly<Record<string, string>> = {
  AT: 'de-AT', BE: 'fr-BE', BG: 'bg-BG', BR: 'pt-BR', CA: 'en-CA', CZ: 'cs-CZ', DE: 'de-DE', DK: 'dk-DK', EE: 'et-EE', ES: 'es-ES', FI: 'fi-FI', FR: 'fr-FR', GR: 'el-GR', HR: 'hr-HR', HU: 'hu-HU',
  IE: 'en-IE', IT: 'it-IT', LT: 'lt-LT', LU: 'fr-LU', LV: 'lv-LV', NL: 'nl-NL', PL: 'pl-PL', PT: 'pt-PT', RO: 'ro-RO', SE: 'sv-SE', SI: 'sl-SI', SK: 'sk-SK',
};
const IDENTITY_CARDS: Readonly<Record<string, IdentityCardLocale>> = { CN: 'zh-CN', ES: 'ES', FI: 'FI', HK: 'zh-HK', IL: 'he-IL', IN: 'IN', IT: 'IT', NO: 'NO', PL: 'PL', TH: 'TH', TW: 'zh-TW' };
const LENGTHS = { shortest: 8, longest: 18 };

/** A United States social security number: no check digit, so written in its groups, or after words that name it. */
const SOCIAL_SECURITY = /^(?!000|666|9\d\d)\d{3}(?!00)\d{2}(?!0000)\d{4}$/u;
const SOCIAL_SECURITY_GROUPS = /^\d{3}[- ]\d{2}[- ]\d{4}$/u;
/** A national insurance number of the United Kingdom, which has no check digit either. */
const NATIONAL_INSURANCE = /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/u;
const INTRODUCTION = /social security|(?<!\p{L})ssn(?!\p{L})/iu;
/** Characters before a number in which the words that name it are looked for. */
const REACH = 60;

/** National numbers of people in the region of the language, or in all whose main language it is; none where the language is not known. */
export function nationalNumberFinder(language: string): PlaceFinder {
  const regions = regionsOf(language);
  const isValid = (number: string) => regions.some((region) => isNationalNumber(number, region));
  return (text) => [...numberRuns(text, isPart).flatMap((run) => checkedParts(run, 'national_id', LENGTHS, isValid)), ...(regions.includes('US') ? socialSecurityNumbers(text) : [])];
}

const isPart = (group: string): boolean => /^[A-Za-z0-9]+$/u.test(group) && (group.length === 1 || /\d/u.test(group) || /^[A-Z]{1,6}$/u.test(group));

function regionsOf(language: string): string[] {
  const { region, language: primary } = new Intl.Locale(language);
  const known = [...new Set([...Object.keys(TAX_NUMBERS), ...Object.keys(IDENTITY_CARDS), 'US', 'GB'])];
  if (region !== undefined) return [region];
  return known.filter((each) => new Intl.Locale(`und-${each}`).maximize().language === primary);
}

function isNationalNumber(number: string, region: string): boolean {
  if (region === 'GB') return NATIONAL_INSURANCE.test(number);
  const taxes = TAX_NUMBERS[region];
  const cards = IDENTITY_CARDS[region];
  return (taxes !== undefined && validator.isTaxID(number, taxes)) || (cards !== undefined && validator.isIdentityCard(number, cards));
}

function socialSecurityNumbers(text: string): RedactedPlace[] {
  return numberRuns(text, isDigits).flatMap((run) => {
    const found = checkedParts(run, 'national_id', { shortest: 9, longest: 9 }, (number) => SOCIAL_SECURITY.test(number));
    return found.filter(({ from, to }) => SOCIAL_SECURITY_GROUPS.test(text.slice(from, to)) || INTRODUCTION.test(text.slice(Math.max(0, from - REACH), from)));
  });
}
