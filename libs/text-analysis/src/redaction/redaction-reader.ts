import { primaryLanguage } from '@parlance/languages';
import { dateRecognizer } from '../entities/dates-and-times.js';
import { isLocale } from '../entities/entity-reader.js';
import type { EntityContext, EntityRecognizer } from '../entities/entity.js';
import { FiguresText } from '../entities/figures-text.js';
import { findEmails, findUrls } from '../entities/net-addresses.js';
import { findPostalAddresses } from '../entities/postal-addresses.js';
import { findTitledNames } from '../entities/titled-names.js';
import { findCardNumbers } from './card-numbers.js';
import { datesOfBirth } from './dates-of-birth.js';
import { accountNumbers, findIbans } from './ibans.js';
import type { NamesThread } from './names-thread.js';
import { nationalNumberFinder } from './national-numbers.js';
import { findNumberSequences } from './number-sequences.js';
import { REDACTION_POLICIES, type NamesFinder, type PlaceFinder, type RedactedPlace, type RedactionPolicy } from './policy.js';

/** Finds what policies remove from a text: the places in order, without overlaps. */
export type RedactionReader = (text: string) => Promise<RedactedPlace[]>;

const NAMES: ReadonlySet<RedactionPolicy> = new Set(['person', 'organization', 'location']);

/** True when the policies include names, of which a language model finds more. */
export const haveNames = (policies: readonly string[]): boolean => policies.some((policy) => NAMES.has(policy as RedactionPolicy));

/** A reader of texts of a language. Numbers in English words are read as figures; the places are those in the text as given. @param more finds names beside the rules */
export async function redactionReader({ language, recordedAt }: EntityContext, policies: readonly RedactionPolicy[], names: NamesThread, more: NamesFinder = async () => []): Promise<RedactionReader> {
  const isEnglish = primaryLanguage(language) === 'en';
  const namesIn = isEnglish && haveNames(policies) ? (text: string) => names.find(text) : async () => [];
  const context = { language: isLocale(language) ? language : 'und', recordedAt };
  const numbers = [findCardNumbers, findIbans, nationalNumberFinder(context.language), findNumberSequences];
  const others = await findersOf(context);
  const asked = new Set(policies);
  return async (text) => {
    const written = isEnglish ? FiguresText.of(text) : FiguresText.same(text);
    const forms = isEnglish ? [written, FiguresText.dictated(text)] : [written];
    const accounts = forms.flatMap((form) => inFigures(form, [accountNumbers]));
    const found = [...forms.flatMap((form) => inFigures(form, numbers)), ...inFigures(written, others), ...(await namesIn(text)), ...(await more(text))];
    return united(found.filter((place) => asked.has(place.policy) && !(place.policy === 'card_number' && accounts.some((account) => overlap(account, place)))));
  };
}

const overlap = (one: RedactedPlace, other: RedactedPlace): boolean => one.from < other.to && other.from < one.to;

const inFigures = (figures: FiguresText, finders: readonly PlaceFinder[]): RedactedPlace[] => finders.flatMap((find) => find(figures.text)).map((place) => ({ ...place, ...figures.source(place) }));

async function findersOf(context: EntityContext): Promise<PlaceFinder[]> {
  const { findPhoneNumbers } = await import('../entities/phone-numbers.js');
  const findDates = await dateRecognizer(context.language);
  const entities = (find: EntityRecognizer, policies: Readonly<Record<string, RedactionPolicy>>): PlaceFinder => (text) =>
    find(text, context).flatMap(({ type, from, to, normalized }) => {
      const policy = policies[type];
      return policy ? [{ policy, from, to, value: normalized ?? text.slice(from, to).toLowerCase() }] : [];
    });
  return [
    entities(findEmails, { email: 'email' }),
    entities(findUrls, { url: 'url' }),
    entities(findPhoneNumbers, { phone_number: 'phone_number' }),
    (text) => datesOfBirth(text, findDates(text, context)),
    entities(findPostalAddresses, { address: 'location' }),
    entities(findTitledNames, { person: 'person', organization: 'organization' }),
  ];
}

/** Places that overlap become one, of the policy that comes first in the list of policies: nothing that a policy found stays. */
function united(places: readonly RedactedPlace[]): RedactedPlace[] {
  const rank = ({ policy }: RedactedPlace) => REDACTION_POLICIES.indexOf(policy);
  const all: RedactedPlace[] = [];
  for (const place of places.toSorted((one, other) => one.from - other.from || rank(one) - rank(other))) {
    const last = all.at(-1);
    if (!last || place.from >= last.to) {
      all.push(place);
      continue;
    }
    all[all.length - 1] = { ...(rank(place) < rank(last) ? place : last), from: last.from, to: Math.max(last.to, place.to) };
  }
  return all;
}
