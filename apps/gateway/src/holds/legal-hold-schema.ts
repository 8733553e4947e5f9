import type { ingest } from '@parlance/contracts';
import { z } from 'zod';
import { present, time } from '../http/schema.js';

export const legalHoldSchema = z
  .object({
    reason: z.string().meta({ description: 'Why.' }),
    until: time.optional().meta({ description: 'When it ends by itself.' }),
    set_by: z.string().meta({ description: '`account` or `operator`, who can lift it.' }),
    since: time,
  })
  .meta({ id: 'LegalHold', description: 'While it holds, no job is erased.' });

export function legalHoldJson(hold: ingest.LegalHold | undefined): z.output<typeof legalHoldSchema> | undefined {
  if (!hold) return undefined;
  const { reason, until, byOperator, since } = hold;
  return present({ reason, until: until?.toISOString(), set_by: byOperator ? ('operator' as const) : ('account' as const), since: since?.toISOString() ?? '' });
}
