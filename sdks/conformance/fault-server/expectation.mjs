import { isDeepStrictEqual } from 'node:util';
import { pattern } from './pattern.mjs';

/** Returns the differences between the expected request and the one that came. `firsts` has the headers of the run that must stay the same. */
export function faultsOf(expected, { request, path, body }, firsts) {
  const query = Object.fromEntries(new URL(request.url, 'http://localhost').searchParams);
  const faults = [];
  if (request.method !== expected.method || path !== expected.path) faults.push(`${request.method} ${path} instead of ${expected.method} ${expected.path}`);
  if (expected.query && !isDeepStrictEqual(query, expected.query)) faults.push(`query ${JSON.stringify(query)}`);
  for (const [name, wanted] of Object.entries(expected.headers ?? {})) {
    if (!matches(wanted, request.headers[name], name, firsts)) faults.push(`header ${name}: ${request.headers[name]} instead of ${JSON.stringify(wanted)}`);
  }
  return [...faults, ...bodyFaults(expected, body)];
}

function matches(wanted, actual, name, firsts) {
  if (typeof wanted === 'string') return wanted === actual;
  if (wanted.absent) return actual === undefined;
  if (wanted.matches) return new RegExp(wanted.matches, 'u').test(actual ?? '');
  // `same`: the value that the first such header of the run had.
  firsts[name] ??= actual;
  return actual !== undefined && actual === firsts[name];
}

function bodyFaults({ json, pattern: part }, body) {
  if (json !== undefined && !isDeepStrictEqual(parsed(body), json)) return [`body ${body.toString().slice(0, 500)}`];
  if (part && !body.equals(pattern(part.offset, part.length))) return [`${body.length} bytes that are not the ${part.length} from ${part.offset} on`];
  return [];
}

function parsed(body) {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
