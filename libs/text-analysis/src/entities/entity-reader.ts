import { primaryLanguage } from '@parlance/languages';
import { findMoney, findPercentages } from './amounts.js';
import { dateRecognizer } from './dates-and-times.js';
import { withoutOverlaps, type EntityContext, type EntityRecognizer, type TextEntity } from './entity.js';
import { FiguresText } from './figures-text.js';
import { findEmails, findUrls } from './net-addresses.js';
import { findPostalAddresses } from './postal-addresses.js';
import { findTitledNames } from './titled-names.js';

/** Reads the entities of a text that rules can find, in order and without overlaps. */
type EntityReader = (text: string) => TextEntity[];

/**
 * A reader of texts of a language. Numbers in English words are read as figures; the places are those in the text as given.
 * Where two rules find the same words, the more exact one counts.
 */
export async function entityReader({ language, recordedAt }: EntityContext): Promise<EntityReader> {
  const context = { language: isLocale(language) ? language : 'und', recordedAt };
  const isEnglish = primaryLanguage(language) === 'en';
  const { findPhoneNumbers } = await import('./phone-numbers.js');
  const recognizers: EntityRecognizer[] = [findEmails, findUrls, findMoney, findPercentages, findPhoneNumbers, findPostalAddresses, await dateRecognizer(language), findTitledNames];
  return (text) => {
    const written = isEnglish ? FiguresText.of(text) : FiguresText.same(text);
    const found = withoutOverlaps(recognizers.flatMap((recognize) => recognize(written.text, context)));
    return found.map((entity) => ({ ...entity, ...written.source(entity) }));
  };
}

/** True for a tag of a language, BCP 47. */
export function isLocale(language: string): boolean {
  try {
    return new Intl.Locale(language).language !== '';
  } catch {
    return false;
  }
}
