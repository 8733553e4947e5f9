import { ENTITY_TYPES } from '@parlance/text-analysis';
import { z } from 'zod';
import { endSeconds, engineName, idSchema, languageTag, openEnum, segmentId, speakerName, speakerRef, startSeconds, time } from '../http/schema.js';
import { entityMethod } from '../transcriptions/entity-method.js';
import { failureSchema, warningSchema } from '../transcriptions/job-schema.js';
import { summaryFormat } from '../transcriptions/job-options-schema.js';

export const summaryId = idSchema('sum', 'sum_01k9z3v4n8');

const range = { start: startSeconds, end: endSeconds };
const timeRange = z.object(range).meta({ id: 'TimeRange', description: 'A part of the recording.' });

const quotation = z
  .object({
    segment_id: segmentId.meta({ description: 'The segment in which the quote begins.', example: 'seg_000012' }),
    ...range,
    quote: z.string().meta({ description: 'Verbatim text of the transcript, except for white space.' }),
  })
  .meta({ id: 'Quotation', description: 'A place in the transcript that supports a statement.' });

const evidence = z
  .array(quotation)
  .meta({ id: 'Evidence', description: 'The places in the transcript that support the statement, as the server found them.' });

const finding = z
  .object({ text: z.string().meta({ description: 'The statement.' }), evidence: evidence.meta({ description: 'The places in the transcript that support the statement.' }) })
  .meta({ id: 'Finding', description: 'A statement with its evidence.' });

const actionItem = finding
  .extend({
    owner: z.string().optional().meta({ description: 'The current name of a speaker, or a name that was mentioned.' }),
    due: z.iso.date().optional().meta({ description: 'The due date, resolved against the day of the recording.', override: { pattern: undefined } }),
    due_text: z.string().optional().meta({ description: 'The due date in the words of the recording.', example: 'by next Friday' }),
  })
  .meta({ id: 'ActionItem', description: 'Something that is to be done.' });

export const tokenUsage = z
  .object({ input_tokens: z.int().meta({ description: 'Tokens that the model read.' }), output_tokens: z.int().meta({ description: 'Tokens that the model wrote.' }) })
  .meta({ id: 'TokenUsage', description: 'Tokens as counted by the language model’s server.' });

const origin = {
  revision: z.int().min(0).optional().meta({ description: 'The revision of the transcript that it was made from.' }),
  stale: z.boolean().optional().meta({ description: 'True when the transcript was edited since.' }),
};

const common = {
  warnings: z.array(warningSchema).meta({ description: 'What the engine could not do as requested.' }),
  usage: tokenUsage.optional().meta({ description: 'Tokens as counted by the server of the language model, if there is one.' }),
  dropped_items: z.int().meta({ description: 'Items of the engine that were left out, as the transcript does not support them.' }),
};

export const summaryStatus = z.enum(['pending', 'running', 'completed', 'failed', 'skipped']).meta({ id: 'SummaryStatus', description: 'The state of a summary; completed, failed and skipped are terminal.' });

export const summarySchema = z
  .object({
    summary_id: summaryId,
    job_id: z.string().meta({ description: 'The job that the summary belongs to.' }),
    status: openEnum(summaryStatus).meta({ description: 'The state of the summary.' }),
    default: z.boolean().meta({ description: 'True for the job’s own summary, which its stage wrote.' }),
    created_at: time,
    completed_at: time.optional(),
    error: failureSchema.optional().meta({ description: 'The reason, when there is no summary.' }),
    format: openEnum(summaryFormat).meta({ description: 'The form of the summary.' }),
    language: z.string().optional().meta({ description: 'The language of the text (BCP 47).' }),
    text: z.string().optional().meta({ description: 'Markdown.' }),
    action_items: z.array(actionItem).optional().meta({ description: 'What is to be done.' }),
    key_decisions: z.array(finding).optional().meta({ description: 'What was decided.' }),
    insights: z.array(finding).optional().meta({ description: 'What else is worth knowing.' }),
    engine: engineName.optional().meta({ example: 'extractive' }),
    dropped_items: common.dropped_items.optional(),
    warnings: common.warnings.optional(),
    usage: common.usage,
    ...origin,
  })
  .meta({ id: 'Summary', description: 'A summary of a transcript, as far as it is written.' });

const sentimentLabel = z.enum(['negative', 'neutral', 'positive']).meta({ id: 'SentimentLabel', description: 'A sentiment in one word.' });

const mood = z
  .object({
    score: z.number().meta({ description: '-1 (very negative) to 1 (very positive).' }),
    label: openEnum(sentimentLabel).meta({ description: 'The score in one word.' }),
    evidence: evidence.meta({ description: 'The places in the transcript that the score rests on.' }),
  })
  .meta({ id: 'Mood', description: 'A sentiment with its evidence.' });

const keyMoment = z
  .object({ title: z.string().meta({ description: 'What happens, in a few words.' }), ...range, evidence: evidence.meta({ description: 'The places in the transcript that show it.' }) })
  .meta({ id: 'KeyMoment', description: 'A part of the recording that matters.' });

const quote = z
  .object({
    text: z.string().meta({ description: 'The words as they were spoken.' }),
    speaker_id: speakerRef.optional(),
    speaker: speakerName.optional(),
    ...range,
    evidence: evidence.meta({ description: 'The place in the transcript.' }),
  })
  .meta({ id: 'Quote', description: 'A sentence worth quoting.' });

const topic = z
  .object({
    name: z.string().meta({ description: 'The topic.' }),
    keyphrases: z.array(z.string()).meta({ description: 'Words of the transcript that belong to it.' }),
    ranges: z.array(timeRange).meta({ description: 'The parts of the recording in which it is spoken about.' }),
    evidence: evidence.meta({ description: 'The places in the transcript that belong to it.' }),
  })
  .meta({ id: 'Topic', description: 'Something that is spoken about.' });

const speakerMood = z
  .object({ speaker_id: speakerRef.meta({ description: 'The id of the speaker.' }), speaker: speakerName, ...mood.shape })
  .meta({ id: 'SpeakerMood', description: 'The sentiment of one speaker.' });

const sentiment = z
  .object({
    overall: mood.meta({ description: 'The sentiment of the whole recording.' }),
    by_speaker: z.array(speakerMood).meta({ description: 'The sentiment of each speaker.' }),
    timeline: z.array(z.object({ ...range, ...mood.shape }).meta({ id: 'MoodRange', description: 'The sentiment of a part of the recording.' })).meta({ description: 'The sentiment of each part, in order of time.' }),
  })
  .meta({ id: 'Sentiment', description: 'Sentiments, each with its evidence.' });

export const highlightsSchema = z
  .object({
    job_id: z.string().meta({ description: 'The job that the highlights belong to.' }),
    key_moments: z.array(keyMoment).meta({ description: 'The parts that matter, in order of time.' }),
    quotes: z.array(quote).meta({ description: 'Sentences worth quoting.' }),
    insights: z.array(finding).meta({ description: 'What is worth knowing.' }),
    topics: z.array(topic).meta({ description: 'What is spoken about.' }),
    sentiment: sentiment.optional().meta({ description: 'Absent when the engine cannot determine it for the language; `warnings` then says so.' }),
    language: languageTag,
    engine: engineName,
    ...common,
    ...origin,
  })
  .meta({ id: 'Highlights', description: 'Key moments, quotes, insights, topics and sentiment of a transcript.' });

const chapter = z
  .object({ ...range, headline: z.string().meta({ description: 'A few words.' }), gist: z.string().meta({ description: 'One or two sentences.' }), evidence: evidence.meta({ description: 'The places in the chapter that support it.' }) })
  .meta({ id: 'Chapter', description: 'A part of the recording about one thing.' });

export const chaptersSchema = z
  .object({
    job_id: z.string().meta({ description: 'The job that the chapters belong to.' }),
    chapters: z.array(chapter).meta({ description: 'From the first segment to the last, each from the end of the one before.' }),
    language: languageTag,
    engine: engineName,
    ...common,
    ...origin,
  })
  .meta({ id: 'Chapters', description: 'The chapters of a recording.' });

const entityType = z.enum(ENTITY_TYPES).meta({ id: 'EntityType', description: 'The kind of an entity.' });

const entity = z
  .object({
    type: openEnum(entityType).meta({ description: 'Its kind.' }),
    text: z.string().meta({ description: 'The words as they stand in the transcript.' }),
    normalized: z.string().optional().meta({
      description: 'Dates and times in ISO 8601, money as currency (ISO 4217) and amount (`USD 5.5`), telephone numbers in E.164. Absent where the words can be read in several ways.',
    }),
    ...range,
    segment_id: segmentId.meta({ description: 'The segment.' }),
    word_ids: z.array(z.string()).meta({ description: 'Its words.' }),
    speaker_id: speakerRef.optional(),
    method: openEnum(entityMethod).meta({ description: 'What found it.' }),
  })
  .meta({ id: 'Entity', description: 'Something that is named in the recording.' });

export const entitiesSchema = z
  .object({
    job_id: z.string().meta({ description: 'The job.' }),
    entities: z.array(entity).meta({ description: 'In the order of the transcript.' }),
    method: openEnum(entityMethod).meta({ description: 'How people and organizations were found. Rules find only those with a title or a legal form.' }),
    language: languageTag,
    engine: engineName,
    ...common,
    ...origin,
  })
  .meta({ id: 'Entities', description: 'The entities of a transcript.' });

export type SummaryJson = z.output<typeof summarySchema>;
