import { primaryLanguage } from '@parlance/languages';
import type { ParsedResult } from 'chrono-node';
import { chronoOf, type Chrono } from '../dates/chrono-locales.js';
import { closingLength, entitiesOf, type EntityContext, type EntityRecognizer, type TextEntity } from './entity.js';

/** Names of months and days that are other words as well, and abbreviations that are: dates only beside a number or a preposition. */
const AMBIGUOUS = /^(?:may|march|mar|jan|sat|sun|mon|wed|second|mai|mars|mar|dom|sab|lun|mer)\.?$/iu;
const BEFORE_MONTH = /(?:^|\s)(?:in|since|by|until|till|of|last|next|this|during|early|late|mid|through|from|to|en|im|seit|bis|depuis|desde)\s$/iu;
const PREPOSITION = /^(?:at|on|um|am|den|à|le|el|a las?|alle|om)\s+/iu;
/** Words by which a length of time, such as `2 weeks`, is a date. */
const RELATIVE = /(?<!\p{L})(?:ago|last|next|this|past|coming|vor|letzte[nrs]?|nächste[nrs]?|diese[nrs]?|il y a|derni[eè]re?|prochaine?|hace|pasad[oa]|próxim[oa]|fa|scors[oa]|geleden|назад)(?!\p{L})/iu;
/** An hour that nothing but `at` shows to be one is a time at the end of a clause. */
const CLAUSE_END = /^(?:$|[.,;!?]|\s(?:on|today|tomorrow|sharp|and)(?![\p{L}\p{N}]))/iu;
const CLOCK = /[:h]\s?\d|[ap]\.?\s?m(?:\.|\b)|o'?clock|noon|midnight|uhr|heure|час/iu;
const HALVES = /(?<![\p{L}\p{N}])(?:half past|quarter past|quarter to|quarter after) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})(?![\p{L}\p{N}:])/giu;
const YEARS = /(?<![\p{L}\p{N}])(?:(?<=(?<![\p{L}\p{N}])(?:in|since|from|until|till|by|before|after|during|year|between|of|im jahre?|seit|en|depuis|desde|nel) )(?:1[6-9]|20)\d\d|(?<=(?:1[6-9]|20)\d\d (?:to|and|until) )(?:1[6-9]|20)\d\d|the (?:1[6-9]|20)\d0s)(?![\p{L}\p{N}%:/-]|[.,]\d)/giu;
const NUMERIC_DATE = /^(\d{1,2})[./-](\d{1,2})(?:[./-](\d{2,4}))?(?!\d)/u;

/** Dates and times of a language, by chrono-node and rules for what it leaves out; of a language that it does not read, years and ISO dates. */
export async function dateRecognizer(language: string): Promise<EntityRecognizer> {
  const chrono = await chronoOf(language);
  return (text, context) => [...(chrono ? fromChrono(chrono, text, context) : []), ...entitiesOf(HALVES, text, () => ({ type: 'time' })), ...years(text), ...isoDates(text)];
}

const years = (text: string): TextEntity[] => entitiesOf(YEARS, text, ([year]) => ({ type: 'date', ...(/^\d{4}$/u.test(year) && { normalized: year }) }));

const isoDates = (text: string): TextEntity[] =>
  entitiesOf(/(?<![\p{L}\p{N}-])\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?![\p{L}\p{N}-])/gu, text, ([date]) => ({ type: 'date', normalized: date }));

function fromChrono(chrono: Chrono, text: string, { language, recordedAt }: EntityContext): TextEntity[] {
  const parsed = chrono.parse(text, { instant: recordedAt, timezone: 0 }, { forwardDate: true });
  return parsed.flatMap((result) => {
    const leading = PREPOSITION.exec(result.text)?.[0].length ?? 0;
    const said = { from: result.index + leading, to: result.index + result.text.length - closingLength(result.text, /[\s,;:!?]/u) };
    if (said.from >= said.to || !isMentioned(result, text)) return [];
    const type = isDated(result) ? 'date' : 'time';
    const normalized = type === 'date' ? dateText(result, language) : clockText(result);
    return [{ type, ...said, ...(normalized !== undefined && { normalized }) } satisfies TextEntity];
  });
}

const isDated = ({ start }: ParsedResult): boolean => (['day', 'weekday', 'month', 'year'] as const).some((component) => start.isCertain(component));

/** False for what chrono reads into words that are mostly something else, and for lengths of time. */
function isMentioned(result: ParsedResult, text: string): boolean {
  const { index, text: said } = result;
  if (hasTag(result, 'result/relativeDateAndTime') || hasTag(result, 'casualReference/now')) return false;
  if (hasTag(result, 'result/relativeDate') && !RELATIVE.test(said)) return false;
  if (AMBIGUOUS.test(said)) return BEFORE_MONTH.test(text.slice(0, index));
  if (isDated(result)) return !/^\d+[.,]\d+$/u.test(said);
  return CLOCK.test(said) || (/^at \d{1,2}$/iu.test(said) && CLAUSE_END.test(text.slice(index + said.length)));
}

const hasTag = ({ start }: ParsedResult, tag: string): boolean => start.tags().has(tag);

/** ISO 8601, as exactly as it was said; undefined without a year, for weekdays, and where day and month may be exchanged. */
function dateText(result: ParsedResult, language: string): string | undefined {
  const { start, text } = result;
  if (hasTag(result, 'result/relativeDate') || isAmbiguousOrder(text, language)) return undefined;
  if (!start.isCertain('year')) return undefined;
  const [year, month, day] = [start.get('year'), start.get('month'), start.get('day')].map((value, place) => String(value).padStart(place === 0 ? 4 : 2, '0'));
  if (!start.isCertain('month')) return year;
  if (!start.isCertain('day')) return `${year}-${month}`;
  const clock = start.isCertain('hour') ? clockText(result) : undefined;
  return `${year}-${month}-${day}${clock === undefined ? '' : `T${clock}`}`;
}

/** `03/04/2026` is the third of April or the fourth of March, in English; with two figures, the year may be the day. */
function isAmbiguousOrder(text: string, language: string): boolean {
  const [, first, second, year = ''] = NUMERIC_DATE.exec(text.trim()) ?? [];
  if (first === undefined || second === undefined) return false;
  if (year.length < 4) return true;
  return primaryLanguage(language) === 'en' && Number(first) <= 12 && Number(second) <= 12 && first !== second;
}

/** `17:45`; undefined where it may be in the morning or in the evening. */
function clockText({ start, text }: ParsedResult): string | undefined {
  const hour = start.get('hour');
  if (hour === null || !start.isCertain('hour')) return undefined;
  const isKnown = start.isCertain('meridiem') || hour > 12 || /noon|midnight/iu.test(text);
  return isKnown ? `${String(hour).padStart(2, '0')}:${String(start.get('minute') ?? 0).padStart(2, '0')}` : undefined;
}
