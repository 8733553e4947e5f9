import { z } from 'zod';
import { FIELD_CODE_MEANINGS } from './field-codes.js';

export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'The URL of the page that explains the code.', example: '/problems/invalid_request' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string().meta({ description: 'Branch on this code.' }),
    request_id: z.string(),
    retryable: z.boolean().meta({ description: 'True when the same call may succeed later.' }),
    errors: z
      .array(z.object({ pointer: z.string().meta({ description: 'A JSON pointer (RFC 6901) into the body, or `?name` for a query parameter.' }), code: z.string().meta({ description: FIELD_CODE_MEANINGS }), detail: z.string() }))
      .optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });
