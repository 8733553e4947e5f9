import { WEBHOOK_CONTENTS } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { z } from 'zod';

const content = z.enum(WEBHOOK_CONTENTS).meta({ id: 'WebhookContent', description: 'A content that webhooks can have.' });

export const include = z
  .array(content)
  .max(WEBHOOK_CONTENTS.length)
  .refine((names) => new Set(names).size === names.length, 'A content may be given only once.')
  .meta({ id: 'WebhookContents', description: 'Contents that the webhooks have in `data` where their event is about them, each of at most 512 kB. Default: none.', example: ['transcript'] });

/** Contents of a transcript are sent only for a caller that may read it. @throws AppError insufficient_scope */
export function requireReader(mayRead: boolean, include: readonly string[] = []): void {
  if (mayRead || include.length === 0) return;
  throw new AppError({ kind: 'forbidden', code: 'insufficient_scope', message: 'Contents of transcripts in webhooks require the scope transcriptions:read.' });
}
