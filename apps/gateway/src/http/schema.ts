import { z } from 'zod';

/** Shapes that many operations share. */

export const idSchema = (prefix: string, example: string) =>
  z.string().regex(new RegExp(`^${prefix}_[A-Za-z0-9_]{1,60}$`)).meta({ description: 'An opaque id.', example });

export const jobId = idSchema('job', 'job_01k9z3v4n8e7q2xw5t6r0ybhcd');
export const batchId = idSchema('bat', 'bat_01k9z3v4n8e7q2xw5t6r0ybhcd');
export const projectId = idSchema('prj', 'prj_01k9z3v4n8e7q2xw5t6r0ybhcd');
export const keyId = idSchema('key', 'key_01k9z3v4n8e7q2xw5t6r0ybhcd');

/** zod writes its whole regular expression into the description; `format` says it. */
const withoutPattern = { pattern: undefined };

export const time = z.iso
  .datetime()
  .meta({ description: 'A time in UTC.', example: '2026-03-01T09:30:00.000Z', override: withoutPattern });

export const seconds = z.number().meta({ description: 'A number of seconds with millisecond resolution.' });
export const startSeconds = z.number().meta({ description: 'The start in the recording, in seconds.' });
export const endSeconds = z.number().meta({ description: 'The end in the recording, in seconds.' });
export const confidence = z.number().meta({ description: 'A number from 0 to 1.' });
export const languageTag = z.string().meta({ description: 'A language as a BCP 47 tag.' });
export const engineName = z.string().meta({ description: 'The engine that did the work.', example: 'built-in' });
export const metadataPairs = z.record(z.string(), z.string()).meta({ description: 'The metadata that was given with the job.', example: { project: 'apollo' } });
export const segmentId = z.string().meta({ description: 'The id of a segment, unique within its transcript.', example: 'seg_000001' });
export const speakerRef = z.string().meta({ description: 'The id of the speaker within the transcript, if known.', example: 'S1' });
export const speakerName = z.string().meta({ description: 'The current name of the speaker.', example: 'Ada Lovelace' });

/** A query parameter that is a whole number. */
export const integerParameter = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'This must be a whole number.')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ override: { type: 'integer', format: 'int32', minimum: min, maximum: max, pattern: undefined } });

/** A query parameter that is a decimal number; what is finer than a thousandth is rounded. */
export const numberParameter = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,100})?$/, 'This must be a number.')
    .transform((text) => Math.round(Number(text) * 1000) / 1000)
    .pipe(z.number().min(min).max(max))
    .meta({ override: { type: 'number', format: 'double', minimum: min, maximum: max, pattern: undefined } });

export const booleanParameter = () =>
  z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .meta({ override: { type: 'boolean', enum: undefined } });

const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A time with any offset. As text in UTC, times of years without four digits would stand in another order. */
export const timeOfAnyOffset = (error?: string) =>
  z.iso
    .datetime({ offset: true, error })
    .refine((text) => !(Date.parse(text) < FIRST_MS || Date.parse(text) > LAST_MS), 'This must be within the years 0000 to 9999, in UTC.');

/** A query parameter that is a time, with any offset. */
export const timeParameter = () => dateOrTime().meta({ override: { type: 'string', format: 'date-time', anyOf: undefined } });

/** A time with any offset, or a date, which stands for its first moment in UTC. */
export const dateOrTime = () => z.union([z.iso.date(), timeOfAnyOffset()], 'This must be a time such as 2026-03-01T09:30:00Z, or a date.').transform((text) => new Date(text));

/** A query parameter that bounds the items of a page. @param size items a page where the caller does not say */
export const limitParameter = (size: number, description = 'The maximum number of items on a page.') =>
  integerParameter(1, 100).default(size).meta({ description, override: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: size, pattern: undefined } });

/** @param size items a page where the caller does not say */
export const pageQueryOf = (size: number) => ({
  limit: limitParameter(size),
  cursor: z.string().min(1).max(1024).optional().meta({ description: '`next_cursor` of the previous page.' }),
});

export const pageQuery = pageQueryOf(20);

export const nextCursor = z.string().nullable().meta({ description: 'Pass it as `cursor` to get the next page. null on the last page.' });

const pages = new WeakMap<z.ZodType, z.ZodType>();

/** One page of items. A page of `Speaker` is described as `SpeakerPage`. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  const known = pages.get(item) as ReturnType<typeof newPage<Item>> | undefined;
  const page = known ?? newPage(item);
  pages.set(item, page);
  return page;
}

function newPage<Item extends z.ZodType>(item: Item) {
  const id = item.meta()?.id;
  if (id === undefined) throw new Error('A page needs items whose schema has an id.');
  return z.object({ data: z.array(item).meta({ description: 'The items of this page.' }), next_cursor: nextCursor }).meta({ id: `${id}Page`, description: 'One page of a list.' });
}

/** A filter by pairs of metadata, of which all must match. */
export const metadataParameter = (key: z.ZodType<string, string>) =>
  z
    .record(key, z.string().max(512))
    .optional()
    .meta({
      description: 'A pair of the job’s metadata as `key:value`. May be repeated: all pairs must match. `metadata[key]=value` means the same.',
      param: { style: 'form', explode: true, example: ['project:apollo'] },
      override: { type: 'array', items: { type: 'string', maxLength: 577 }, additionalProperties: undefined, propertyNames: undefined },
    });

/** Named values in an answer, to which later versions may add: a client must take one that it does not know. Requests take the named values alone. */
export const openEnum = <Values extends z.ZodEnum>(values: Values) => z.union([values, z.string()]);

export const noQuery = z.strictObject({});
export const noParams = z.object({});
export const jobParams = z.object({ job_id: jobId });

/** The object without the members that are undefined: an absent field is left out, not null. */
export function present<T extends object>(object: T): T {
  // A page of jobs comes through here two hundred times: a loop takes a quarter of what lists of entries do.
  const kept: Partial<T> = {};
  for (const name in object) if (object[name] !== undefined) kept[name] = object[name];
  return kept as T;
}
