import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { noParams, seconds, timeOfAnyOffset } from '../http/schema.js';
import { GROUPINGS } from './usage-report.js';

const DAY_FORM = 'This must be a day such as 2026-03-01, or a time by RFC 3339.';
/** `format` says it. */
const withoutPattern = { override: { pattern: undefined } };

/** A day as a query parameter; of a time, its day in UTC. */
const dayParameter = (description: string) =>
  z
    .union([z.iso.date(DAY_FORM).meta(withoutPattern), timeOfAnyOffset(DAY_FORM).meta(withoutPattern)])
    .transform((text) => new Date(text).toISOString().slice(0, 10))
    .optional()
    .meta({ description, example: '2026-03-01' });

const grouping = z.enum(GROUPINGS).meta({ id: 'UsageGrouping', description: 'What usage is grouped by.' });

const usageGroup = z
  .object({
    group: z.string().meta({ description: 'A day, the id of a key (also of a deleted one; `none` when the key is unknown) or an operation.', example: '2026-03-01' }),
    seconds: seconds.meta({ description: 'The seconds of audio that were transcribed.' }),
    requests: z.int().meta({ description: 'The number of jobs that were billed.' }),
  })
  .meta({ id: 'UsageGroup', description: 'The usage of a day, a key or an operation.' });

export const getUsage = defineOperation({
  id: 'getUsage',
  method: 'GET',
  path: '/api/v1/usage',
  tag: 'Account',
  summary: 'Get the usage of the account',
  description: 'Returns seconds of audio transcribed, to the millisecond. Each second counts once, whatever was retried. A job counts on the day (UTC) on which it ended.',
  access: 'usage',
  params: noParams,
  query: z.strictObject({
    from: dayParameter('The first day, in UTC; of a time, its day is used. Default: 30 days before `to`.'),
    to: dayParameter('The last day, included. Default: today. At most 366 days after `from`.'),
    group_by: grouping.default('day').meta({ description: 'What the groups are: days, ids of keys or projects, or operations.' }),
  }),
  answers: {
    200: {
      description: 'The groups in order; groups without usage are left out.',
      schema: z
        .object({
          data: z.array(usageGroup).meta({ description: 'The groups in order.' }),
          total_seconds: seconds.meta({ description: 'The seconds of all groups.' }),
        })
        .meta({ id: 'Usage', description: 'The usage of an account.' }),
    },
  },
  problems: ['unknown_field'],
});
