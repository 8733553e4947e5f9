import { WEBHOOK_CONTENTS } from '@parlance/contracts';
import { z } from 'zod';

const content = z.enum(WEBHOOK_CONTENTS).meta({ id: 'WebhookContent', description: 'A content that webhooks can have.' });

export const include = z
  .array(content)
  .max(WEBHOOK_CONTENTS.length)
  .refine((names) => new Set(names).size === names.length, 'A content may be given only once.')
  .meta({ id: 'WebhookContents', description: 'Contents that the webhooks have in `data` where their event is about them, each of at most 512 kB. Default: none.', example: ['transcript'] });
