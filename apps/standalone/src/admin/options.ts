import { systemClock } from '@parlance/platform';
import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';

export interface ServerOptions {
  /** Seconds. */
  timeout: number;
  json?: true;
}

export const jsonOption = () => new Option('--json', 'as JSON');

export const timeoutOption = () =>
  new Option('--timeout <seconds>', 'time to wait for a server that does not respond').argParser(positiveInteger).default(60);

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 999999.');
  return Number(text);
}

export function wholeNumber(text: string): number {
  return text === '0' ? 0 : positiveInteger(text);
}

/** RFC 3339, in UTC. */
export function futureTime(text: string): string {
  const time = new Date(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? text : Number.NaN);
  if (!(time > systemClock.now())) throw new InvalidArgumentError('It must be a time in the future, like 2027-01-31T00:00:00Z.');
  return time.toISOString();
}

/** As a sign-up takes it: codes and notices would not reach another. */
export function emailAddress(text: string): string {
  if (!z.email().max(254).safeParse(text).success) throw new InvalidArgumentError('It must be an e-mail address.');
  return text.toLowerCase();
}
