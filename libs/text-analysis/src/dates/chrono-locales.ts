import { primaryLanguage } from '@parlance/languages';
import type { ParsedResult } from 'chrono-node';

export interface Chrono {
  parse(text: string, from: object, options: object): ParsedResult[];
}

/** The languages that chrono reads; each is loaded by the first transcript in it. */
const LOCALES: Readonly<Record<string, () => Promise<Chrono>>> = {
  en: () => import('chrono-node/en'),
  de: () => import('chrono-node/de'),
  fr: () => import('chrono-node/fr'),
  ja: () => import('chrono-node/ja'),
  pt: () => import('chrono-node/pt'),
  nl: () => import('chrono-node/nl'),
  zh: () => import('chrono-node/zh'),
  ru: () => import('chrono-node/ru'),
  es: () => import('chrono-node/es'),
  uk: () => import('chrono-node/uk'),
  it: () => import('chrono-node/it'),
  sv: () => import('chrono-node/sv'),
};

/** @returns undefined for a language that chrono does not read */
export async function chronoOf(language: string): Promise<Chrono | undefined> {
  return LOCALES[primaryLanguage(language)]?.();
}
