import { z } from 'zod';
import { FIELD_CODE_MEANINGS } from './field-codes.js';

export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'The page that explains the code.', example: '/problems/invalid_request' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string().meta({ description: 'Switch on this.' }),
    request_id: z.string(),
    retryable: z.boolean().meta({ description: 'Whether the same call may work later.' }),
    errors: z
      .array(z.object({ pointer: z.string().meta({ description: 'RFC 6901 into the body, or `?name`.' }), code: z.string().meta({ description: FIELD_CODE_MEANINGS }), detail: z.string() }))
      .optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });
