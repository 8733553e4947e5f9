import type { common } from '@parlance/contracts';
import { CHANNEL_MODE, PRIORITY } from './job-names.js';
import type { UploadOptions } from './job-options-schema.js';

/** The caller's options as the other services read them. */
export function jobOptions(body: UploadOptions): common.JobOptions {
  return {
    model: body.model,
    ...languageOf(body.language),
    diarization: diarizationOf(body.diarization),
    summary: summaryOf(body.summary),
    highlights: body.highlights,
    chapters: body.chapters,
    entities: body.entities,
    vocabulary: body.vocabulary,
    vocabularyId: body.vocabulary_id,
    spelling: { replace: body.replace, format: body.formatting === 'auto', numerals: body.numerals, filters: filtersOf(body.filters) },
    redaction: body.redaction && redactionOf(body.redaction),
    resultKey: body.result_key,
    metadata: body.metadata,
    retentionHours: body.retention_hours,
    mediaRetentionHours: body.media_retention_hours,
    priority: body.priority === undefined ? undefined : PRIORITY[body.priority],
    channels: { mode: CHANNEL_MODE[body.channels ?? 'mix'], names: body.channel_names ?? [] },
  };
}

function languageOf(asked: UploadOptions['language']): Pick<common.JobOptions, 'language' | 'languageDetection'> {
  if (asked === undefined || typeof asked === 'string') return { language: asked, languageDetection: undefined };
  const { expected, min_confidence: minConfidence, fallback } = asked;
  return { language: undefined, languageDetection: { expected: [...new Set(expected)], minConfidence, fallback } };
}

export function diarizationOf(asked: UploadOptions['diarization']): common.DiarizationOptions {
  if (typeof asked === 'boolean') return { enabled: asked };
  return { enabled: true, minSpeakers: asked.min_speakers, maxSpeakers: asked.max_speakers };
}

export function summaryOf(asked: UploadOptions['summary']): common.SummaryOptions {
  return typeof asked === 'boolean' ? { enabled: asked } : { enabled: true, ...asked };
}

function filtersOf(asked: UploadOptions['filters']): common.WordFilters | undefined {
  if (asked === undefined) return undefined;
  const { profanity, fillers, profanity_words: profanityWords, filler_words: fillerWords } = asked;
  return { maskProfanity: profanity === 'mask', removeProfanity: profanity === 'remove', profanityWords, removeFillers: fillers === 'remove', fillerWords };
}

function redactionOf({ policies, style, audio, keep_original: keepOriginal }: NonNullable<UploadOptions['redaction']>): common.Redaction {
  return { policies, style, audio, keepOriginal };
}
