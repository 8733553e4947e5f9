import { z } from 'zod';
import { idSchema, seconds, time } from '../http/schema.js';
import { failureSchema, warningSchema } from '../transcriptions/job-schema.js';

export const summaryId = idSchema('sum', 'sum_01k9z3v4n8e7q2xw5t6r0ybhcd');

export const SUMMARY_FORMATS = ['brief', 'detailed', 'bullets', 'minutes', 'custom'] as const;

const evidence = z
  .array(
    z.object({
      segment_id: z.string().meta({ description: 'The segment in which the quote begins.', example: 'seg_000012' }),
      start: seconds,
      end: seconds,
      quote: z.string().meta({ description: 'Verbatim text of the transcript, except for white space.' }),
    }),
  )
  .meta({ id: 'Evidence', description: 'The places in the transcript that support the statement. The server itself finds them in the transcript, whatever the engine returns.' });

const finding = z.object({ text: z.string(), evidence }).meta({ id: 'Finding' });
const warnings = z.array(warningSchema).meta({ description: 'What the engine could not do as requested.' });
const usage = z.object({ input_tokens: z.int(), output_tokens: z.int() }).optional().meta({ description: 'Tokens as counted by the language model’s server.' });
const droppedItems = z.int().meta({ description: 'The number of items that the engine returned without support in the transcript; they are left out.' });

export const summarySchema = z
  .object({
    summary_id: summaryId,
    job_id: z.string(),
    status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']),
    default: z.boolean().meta({ description: 'True for the job’s own summary, which its stage wrote.' }),
    created_at: time,
    completed_at: time.optional(),
    error: failureSchema.optional(),
    format: z.enum(SUMMARY_FORMATS),
    language: z.string().optional().meta({ description: 'The language of the text (BCP 47).' }),
    text: z.string().optional().meta({ description: 'Markdown.' }),
    action_items: z
      .array(
        finding.extend({
          owner: z.string().optional().meta({ description: 'The current name of a speaker, or a name that was mentioned.' }),
          due: z.iso.date().optional().meta({ description: 'The due date, resolved against the day of the recording: the job’s `metadata.recorded_at`, or its creation time.', override: { pattern: undefined } }),
          due_text: z.string().optional().meta({ description: 'The due date in the words of the recording.', example: 'by next Friday' }),
        }),
      )
      .optional(),
    key_decisions: z.array(finding).optional(),
    insights: z.array(finding).optional(),
    engine: z.string().optional().meta({ example: 'extractive' }),
    dropped_items: droppedItems.optional(),
    warnings: warnings.optional(),
    usage,
  })
  .meta({ id: 'Summary' });

const mood = z
  .object({
    score: z.number().meta({ description: '-1 (very negative) to 1 (very positive).' }),
    label: z.enum(['negative', 'neutral', 'positive']),
    evidence,
  })
  .meta({ id: 'Mood' });

const range = { start: seconds, end: seconds };

export const highlightsSchema = z
  .object({
    job_id: z.string(),
    key_moments: z.array(z.object({ title: z.string(), ...range, evidence })),
    quotes: z.array(z.object({ text: z.string(), speaker_id: z.string().optional(), speaker: z.string().optional(), ...range, evidence })),
    insights: z.array(finding),
    topics: z.array(z.object({ name: z.string(), keyphrases: z.array(z.string()), ranges: z.array(z.object(range)), evidence })),
    sentiment: z
      .object({
        overall: mood,
        by_speaker: z.array(z.object({ speaker_id: z.string(), speaker: z.string(), ...mood.shape })),
        timeline: z.array(z.object({ ...range, ...mood.shape })),
      })
      .optional()
      .meta({ description: 'Absent when the engine cannot determine it for the language; `warnings` then says so.' }),
    language: z.string(),
    engine: z.string(),
    dropped_items: droppedItems,
    warnings,
    usage,
  })
  .meta({ id: 'Highlights' });

export type SummaryJson = z.output<typeof summarySchema>;
export type HighlightsJson = z.output<typeof highlightsSchema>;
