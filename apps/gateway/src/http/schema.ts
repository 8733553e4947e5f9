import { z } from 'zod';

/** Shapes that many operations share. */

/** The pattern and the name say what it is. @param id its name in the description, where several operations have it */
export const idSchema = (prefix: string, example: string, id?: string) =>
  z.string().regex(new RegExp(`^${prefix}_[A-Za-z0-9_]{1,60}$`)).meta({ example, ...(id !== undefined && { id }) });

export const jobId = idSchema('job', 'job_01k9z3v4n8', 'JobId');
export const batchId = idSchema('bat', 'bat_01k9z3v4n8', 'BatchId');
export const projectId = idSchema('prj', 'prj_01k9z3v4n8', 'ProjectId');
export const erasureId = idSchema('era', 'era_01k9z3v4n8');
export const keyId = idSchema('key', 'key_01k9z3v4n8', 'KeyId');

/** zod writes its whole regular expression into the description; `format` says it. */
const withoutPattern = { pattern: undefined };

export const time = z.iso
  .datetime()
  .meta({ id: 'Time', description: 'In UTC.', example: '2026-03-01T09:30:00.000Z', override: withoutPattern });

export const seconds = z.number().meta({ description: 'A number of seconds with millisecond resolution.' });
export const startSeconds = z.number().meta({ description: 'The start in the recording, in seconds.' });
export const endSeconds = z.number().meta({ description: 'The end in the recording, in seconds.' });
export const confidence = z.number().meta({ description: 'A number from 0 to 1.' });
export const languageTag = z.string().meta({ description: 'A BCP 47 tag.' });
export const engineName = z.string().meta({ id: 'EngineName', description: 'The engine used.', example: 'built-in' });
export const metadataPairs = z.record(z.string(), z.string()).meta({ description: 'The metadata of the job.' });
export const segmentId = z.string().meta({ description: 'Unique within the transcript.', example: 'seg_000001' });
export const speakerRef = z.string().meta({ id: 'SpeakerRef', description: 'The speaker, if known.', example: 'S1' });
export const speakerName = z.string().meta({ id: 'SpeakerName', description: 'The current name of the speaker.', example: 'Ada Lovelace' });

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

/** Descriptions of the bounds of a list, which all lists share. */
export const CREATED_AFTER = 'Only what was created at this time or later.';
export const CREATED_BEFORE = 'Only what was created before this time.';

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
  return z.object({ data: z.array(item), next_cursor: nextCursor }).meta({ id: `${id}Page`, description: 'A page.' });
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

const erasureStatus = z.enum(['pending', 'completed']).meta({ id: 'ErasureStatus', description: 'The state of an erasure.' });

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

const erasedItem = z
  .object({
    what: z.string().meta({ description: 'What was erased; `index_entries` also counts conversations about the transcript.' }),
    where: z.string().meta({ description: 'The service that erased it.' }),
    when: time.meta({ description: 'When it was erased.' }),
    count: z.int().meta({ description: 'How many there were.' }),
  })
  .meta({ id: 'ErasedItem', description: 'Something that an erasure erased.' });

/** The fields that the receipts of erasures share. */
export const receiptFields = {
  erasure_id: erasureId,
  status: openEnum(erasureStatus).meta({ description: 'completed when every service has reported.' }),
  requested_at: time.meta({ description: 'When the erasure began.' }),
  completed_at: time.optional().meta({ description: 'When everything was erased.' }),
  items: z.array(erasedItem).meta({ description: 'What was erased so far.' }),
  jws: z.string().optional().meta({ description: 'The completed receipt as a JWS (EdDSA); `/.well-known/jwks.json` has the key.' }),
};
