import { AppError, type ErrorCode, type FieldError } from '@parlance/platform';
import type { z } from 'zod';
import { isProblemCode } from './problem-catalogue.js';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The pointer to a field: in the body (RFC 6901) or in the query. */
export type PointerTo = (path: Path) => string;

export const bodyPointer: PointerTo = (path) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export const queryPointer: PointerTo = ([name = '', key]) => `?${String(name)}${key === undefined ? '' : `[${String(key)}]`}`;

/** Wrong places that one answer lists; more are not looked for. */
export const MAX_FIELD_ERRORS = 100;

/** The wrong places that zod found, in words and codes of ours, up to the bound. */
export function fieldErrors(issues: readonly Issue[], pointerTo: PointerTo): FieldError[] {
  const errors: FieldError[] = [];
  for (const issue of ownBoundsFirst(issues)) {
    errors.push(...describe(issue, [], pointerTo));
    if (errors.length >= MAX_FIELD_ERRORS) break;
  }
  return errors.slice(0, MAX_FIELD_ERRORS);
}

/** A number beyond the safe integers also exceeds the field's own bound, which is the more helpful message. */
function ownBoundsFirst(issues: readonly Issue[]): Issue[] {
  const isOfAllIntegers = (issue: Issue) =>
    (issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER) || (issue.code === 'too_small' && issue.minimum === Number.MIN_SAFE_INTEGER);
  return issues.toSorted((one, other) => Number(isOfAllIntegers(one)) - Number(isOfAllIntegers(other)));
}

function describe(issue: Issue, prefix: Path, pointerTo: PointerTo): FieldError[] {
  const path = [...prefix, ...issue.path];
  const at = (code: string, detail: string): FieldError[] => [{ pointer: pointerTo(path), code, detail }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, MAX_FIELD_ERRORS).map((key) => ({ pointer: pointerTo([...path, key]), code: 'unknown_field', detail: 'This field is not known.' }));
    case 'invalid_type':
      return issue.input === undefined ? at('required', 'This field is required.') : at('invalid_type', `This must be ${article(issue.expected)}.`);
    case 'too_small':
      return at(issue.origin === 'string' || issue.origin === 'array' ? 'too_short' : 'too_small', `${subject(issue.origin)} at least ${issue.minimum}.`);
    case 'too_big':
      return at(issue.origin === 'number' || issue.origin === 'int' ? 'too_large' : 'too_long', `${subject(issue.origin)} at most ${issue.maximum}.`);
    case 'invalid_value':
      return at('invalid_value', `This must be one of: ${issue.values.map(String).join(', ')}.`);
    case 'invalid_union':
      return describeUnion(issue, path, pointerTo);
    case 'invalid_key':
      return issue.issues.flatMap((inner) => describe({ ...inner, path: [] } as Issue, path, pointerTo));
    case 'custom':
      return at(typeof issue.params?.code === 'string' ? issue.params.code : 'invalid_value', issue.message);
    default:
      return at('invalid_format', formatDetail(issue));
  }
}

/** Words of our own where zod's would show: those of a schema of ours stay. */
function formatDetail(issue: Issue): string {
  if (issue.code === 'invalid_format' && issue.format === 'datetime') return 'This must be a time by RFC 3339, such as 2026-03-01T09:30:00Z.';
  return issue.message.startsWith('Invalid') ? 'This does not have the required format.' : issue.message;
}

/** The message of a zod union that has none of ours. */
const DEFAULT_MESSAGE = 'Invalid input';

/** The errors of the form that was meant: the one whose own type is right, and which knows every field that was given. */
function describeUnion(issue: Extract<Issue, { code: 'invalid_union' }>, path: Path, pointerTo: PointerTo): FieldError[] {
  if ('options' in issue && issue.discriminator !== undefined) return describeDiscriminator(issue, path, pointerTo);
  const isOtherType = (issues: readonly Issue[]) => issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0);
  const possible = issue.errors.filter((issues) => !isOtherType(issues));
  const meant = possible.find((issues) => issues.every(({ code }) => code !== 'unrecognized_keys')) ?? possible[0];
  // Several forms of one type: the union says itself what is right.
  if (possible.length > 1 && issue.message !== DEFAULT_MESSAGE) return [{ pointer: pointerTo(path), code: 'invalid_format', detail: issue.message }];
  if (meant) return ownBoundsFirst(meant).flatMap((inner) => describe(inner, path, pointerTo));
  const types = issue.errors.flat().flatMap((inner) => (inner.code === 'invalid_type' ? [article(inner.expected)] : []));
  return [{ pointer: pointerTo(path), code: 'invalid_type', detail: `This must be ${[...new Set(types)].join(' or ')}.` }];
}

/** A union whose forms differ in the value of one field, which has none of these values. */
function describeDiscriminator(issue: { input?: unknown; discriminator?: string | undefined; options?: unknown[] }, path: Path, pointerTo: PointerTo): FieldError[] {
  const { input, discriminator = '', options = [] } = issue;
  const isGiven = typeof input === 'object' && input !== null && discriminator in input;
  if (!isGiven) return [{ pointer: pointerTo(path), code: 'required', detail: 'This field is required.' }];
  return [{ pointer: pointerTo(path), code: 'invalid_value', detail: `This must be one of: ${options.map(String).join(', ')}.` }];
}

const article = (type: string): string => (/^(array|int|object)/.test(type) ? `an ${type === 'int' ? 'integer' : type}` : type === 'record' ? 'an object' : `a ${type}`);
const subject = (origin: string): string =>
  origin === 'string' ? 'Its length in characters must be' : origin === 'array' ? 'The number of items must be' : 'It must be';

/** Objects and lists within each other in one field: far more than any field has, far fewer than the stack takes. */
const MAX_DEPTH = 16;

/** Strings that no storage and no log takes well: NUL, and halves of surrogate pairs; a name that is an object’s prototype; and what is nested too deeply to be gone through. */
export function unusableText(value: unknown, pointerTo: PointerTo): FieldError[] {
  const errors: FieldError[] = [];
  addUnusableText(value, [], (path, code, detail) => {
    if (errors.length < MAX_FIELD_ERRORS) errors.push({ pointer: pointerTo(path), code, detail });
  });
  return errors;
}

function addUnusableText(value: unknown, path: PropertyKey[], wrong: (path: Path, code: string, detail: string) => void): void {
  if (typeof value === 'string') {
    if (!isUsable(value)) wrong(path, 'invalid_text', 'This contains a NUL character or half a surrogate pair.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length > MAX_DEPTH) return wrong(path.slice(0, 1), 'too_deep', `This may nest objects and lists ${MAX_DEPTH} deep.`);
  for (const [key, inner] of Object.entries(value)) {
    // zod drops this name from a record without a word.
    if (key === '__proto__') wrong([...path, key], 'invalid_format', 'This name is not allowed.');
    else if (isUsable(key)) addUnusableText(inner, [...path, key], wrong);
    else wrong(path, 'invalid_text', 'A name in this object contains a NUL character or half a surrogate pair.');
  }
}

const isUsable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Codes of single fields that tell enough to be the code of the whole answer. */
function codeOf(errors: readonly FieldError[]): ErrorCode {
  const [first] = errors;
  const { code } = first ?? { code: '' };
  return isProblemCode(code) && errors.every((error) => error.code === code) ? code : 'invalid_request';
}

/** 422 with the wrong places. */
export function invalidFields(errors: FieldError[]): AppError {
  const [first] = errors;
  const atLeast = errors.length >= MAX_FIELD_ERRORS ? 'at least ' : '';
  const more = errors.length > 1 ? ` (and ${atLeast}${errors.length - 1} more)` : '';
  const message = first ? `${first.pointer || 'The body'}: ${first.detail}${more}` : 'The request is not valid.';
  return new AppError({ code: codeOf(errors), message, fields: errors });
}
