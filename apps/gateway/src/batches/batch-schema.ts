import { z } from 'zod';
import { fieldErrorSchema } from '../http/problem.js';
import { batchId, jobId, openEnum, time } from '../http/schema.js';
import { newTranscriptionSchema, uploadOptionsSchema, url } from '../transcriptions/job-options-schema.js';
import { failureSchema } from '../transcriptions/job-schema.js';
import { ITEM_STATES } from './batch.js';

const MAX_ITEMS = 1000;

export const customId = z.string().min(1).max(200).meta({ description: 'A name for the item, of the caller’s choice.', example: 'call-0042' });

/** Only for the description: each item is checked by itself, so that a wrong one is refused alone. */
const newItem = z
  .strictObject({ custom_id: customId.optional(), ...newTranscriptionSchema.shape })
  .meta({ id: 'NewBatchItem', description: 'The body of `POST /api/v1/transcriptions`, with a name.' });

export const newBatchSchema = z
  .strictObject({
    items: z.array(newItem).min(1).max(MAX_ITEMS).meta({ description: 'The transcriptions, at most 1,000.' }),
    defaults: z.record(z.string(), z.unknown()).optional().meta({ description: '`TranscriptionSettings` of each item that does not state them.', example: { language: 'en' } }),
    callback_url: url.optional().meta({ description: 'An http(s) URL that receives `batch.completed`.', format: 'uri' }),
  })
  .meta({ id: 'NewBatch', description: 'Transcriptions that are ordered together.', example: { items: [{ custom_id: 'call-0042', audio_url: 'https://example.org/call-0042.mp3' }], defaults: { language: 'en' } } });

/** The part of a request that is refused as a whole. The items are checked one by one afterwards. */
export const batchEnvelopeSchema = z.strictObject({ ...newBatchSchema.shape, items: z.array(z.unknown()).min(1).max(MAX_ITEMS), defaults: uploadOptionsSchema.optional() });

export const itemStatus = z
  .enum(ITEM_STATES)
  .meta({ id: 'BatchItemStatus', description: '`pending`: the job is still to be created. `refused`: there will be none, and `error` says why. `deleted`: the job was deleted. The others are those of the job.' });

const batchStatus = z.enum(['processing', 'canceling', 'completed', 'canceled']).meta({ id: 'BatchStatus', description: 'The state of a batch; completed and canceled are terminal.' });

const count = (state: string) => z.int().meta({ description: `Items that are ${state}.` });

const counts = z
  .object({ total: z.int().meta({ description: 'The number of items.' }), ...(Object.fromEntries(ITEM_STATES.map((state) => [state, count(state)])) as Record<(typeof ITEM_STATES)[number], ReturnType<typeof count>>) })
  .meta({ id: 'BatchCounts', description: 'The items of a batch by their status.' });

export const batchSchema = z
  .object({
    batch_id: batchId,
    status: openEnum(batchStatus).meta({ description: 'The state of the batch.', example: 'processing' }),
    counts,
    percent: z.number().meta({ description: 'The share of items that have ended, from 0 to 100.', example: 41.5 }),
    callback_url: z.string().optional().meta({ description: 'Where `batch.completed` is sent, without user information, query and fragment.' }),
    created_at: time,
    canceled_at: time.optional().meta({ description: 'When its cancellation was requested.' }),
    completed_at: time.optional().meta({ description: 'When its last item ended.' }),
  })
  .meta({ id: 'Batch', description: 'Transcriptions that were ordered together.' });

export const batchItemSchema = z
  .object({
    index: z.int().min(0).meta({ description: 'The place of the item in the request, from 0.' }),
    custom_id: z.string().optional().meta({ description: 'As in the request; erased with the job.' }),
    status: openEnum(itemStatus).meta({ description: 'The state of the item.', example: 'completed' }),
    job_id: jobId.optional().meta({ description: 'The job, once it is created.' }),
    error: failureSchema.extend({ code: z.string().meta({ description: 'The code of the refusal, or of the failure of the job.', example: 'media_unreachable' }), errors: z.array(fieldErrorSchema).optional().meta({ description: 'The fields that are wrong.' }) }).meta({ id: 'BatchItemError', description: 'Why the item was refused, or its job failed.' }).optional(),
  })
  .meta({ id: 'BatchItem', description: 'An item of a batch.' });

export type BatchJson = z.output<typeof batchSchema>;
export type BatchItemJson = z.output<typeof batchItemSchema>;
