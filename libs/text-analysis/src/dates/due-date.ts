import type { Component, ParsedResult } from 'chrono-node';
import { chronoOf } from './chrono-locales.js';

/** When something is to be done. */
interface DueDate {
  /** YYYY-MM-DD. */
  date: string;
  /** The words of the date, verbatim: `by next Friday`. */
  text: string;
}

/** Reads dates that are said. */
export type DueDateReader = (text: string, recordedAt: Date) => DueDate | undefined;

const PREPOSITION = /(?:^|\s)((?:by|before|until|till|on|at|in|within|not later than|no later than|bis|vor|am|avant|pour|antes de|para el|para|entro|voor|до|к)(?:\s+(?:the|der|dem|le|la|el))?\s+)$/iu;

/**
 * Dates of a language, by chrono-node; of one that it does not know, none.
 * They lie ahead of the day of the recording, and are seen from it in UTC: where it was made is not known.
 * @param language BCP 47
 */
export async function dueDateReader(language: string): Promise<DueDateReader> {
  const chrono = await chronoOf(language);
  if (!chrono) return () => undefined;
  return (text, recordedAt) => {
    const parsed = chrono.parse(text, { instant: recordedAt, timezone: 0 }, { forwardDate: true });
    const found = parsed.find(({ start }) => DAYS.some((component) => start.isCertain(component)));
    return found && dueDateOf(text, found, recordedAt);
  };
}

/** Components that give a day, or a month; an hour or a year alone is no due date. */
const DAYS: readonly Component[] = ['day', 'weekday', 'month'];

function dueDateOf(text: string, { index, text: said, start, end }: ParsedResult, recordedAt: Date): DueDate | undefined {
  const at = end ?? start;
  const [year, month, day] = [at.get('year'), at.get('month'), at.get('day')];
  if (year === null || month === null || day === null) return undefined;
  const hasDay = at.isCertain('day') || at.isCertain('weekday') || !at.isCertain('month');
  // "In March" becomes the end of March, because no day is given.
  const date = hasDay ? new Date(Date.UTC(year, month - 1, day)) : new Date(Date.UTC(year, month, 0));
  const iso = date.toISOString().slice(0, 10);
  if (iso < recordedAt.toISOString().slice(0, 10)) return undefined;
  const preposition = PREPOSITION.exec(text.slice(0, index))?.[1] ?? '';
  return { date: iso, text: text.slice(index - preposition.length, index + said.length) };
}
