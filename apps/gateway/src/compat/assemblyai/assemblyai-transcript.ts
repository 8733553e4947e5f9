import type { ingest, summary, transcription } from '@parlance/contracts';
import { CHANNEL_MODE } from '../../transcriptions/job-names.js';
import { isOver, statusOf } from '../../transcriptions/job-json.js';
import type { SpokenWords } from './spoken-words.js';

/** The results of the add-ons of a job; undefined when one was not requested or failed. */
export interface FoundByAddOns {
  summary?: summary.Summary | undefined;
  chapters?: summary.Chapters | undefined;
  entities?: summary.Entities | undefined;
}

const MODEL = 'assemblyai_default';

/** AssemblyAI's status: completed once nothing more comes, add-ons included. */
export function assemblyAiStatus(job: ingest.Job): 'queued' | 'processing' | 'completed' | 'error' {
  const status = statusOf(job);
  if (status === 'queued') return 'queued';
  if (!isOver(job)) return 'processing';
  return status === 'completed' ? 'completed' : 'error';
}

/** Why there is no transcript; null when there is one, or may come. */
export function errorOf(job: ingest.Job): string | null {
  if (assemblyAiStatus(job) !== 'error') return null;
  return job.error?.message ?? 'The transcription was canceled.';
}

/** The tag as AssemblyAI writes it: `en-US` is `en_us`. */
const languageCode = (tag: string | undefined): string | null => tag?.toLowerCase().replaceAll('-', '_').replace(/^en_gb$/, 'en_uk') ?? null;

export const hasSpeakers = ({ options }: ingest.Job): boolean => options?.diarization?.enabled ?? false;
const isMultichannel = ({ options }: ingest.Job): boolean => options?.channels?.mode === CHANNEL_MODE.split;

/** The transcript without what was said (AssemblyAI's OpenAPI description, Transcript). @param audioUrl where the audio is */
export function transcriptHead(job: ingest.Job, audioUrl: string) {
  const { options, transcriptLanguage, languageConfidence, media } = job;
  const isFormatted = options?.spelling?.format ?? true;
  const { minSpeakers, maxSpeakers } = options?.diarization ?? {};
  return {
    id: job.jobId,
    language_model: MODEL,
    acoustic_model: MODEL,
    speech_model: null,
    status: assemblyAiStatus(job),
    audio_url: audioUrl,
    audio_duration: media ? Math.round(media.duration) : null,
    language_code: languageCode(transcriptLanguage ?? options?.language),
    language_detection: options?.language === undefined,
    language_confidence: languageConfidence ?? null,
    language_confidence_threshold: options?.languageDetection?.minConfidence ?? null,
    language_codes: null,
    punctuate: isFormatted,
    format_text: isFormatted,
    dual_channel: false,
    multichannel: isMultichannel(job),
    speaker_labels: hasSpeakers(job),
    speakers_expected: minSpeakers !== undefined && minSpeakers === maxSpeakers ? minSpeakers : null,
    word_boost: options?.vocabulary ?? [],
    summarization: options?.summary?.enabled ?? false,
    auto_chapters: options?.chapters ?? false,
    entity_detection: options?.entities ?? false,
    auto_highlights: false,
    redact_pii: false,
    webhook_url: null,
    webhook_status_code: null,
    webhook_auth: false,
    error: errorOf(job),
  };
}

type Head = ReturnType<typeof transcriptHead>;

/** The transcript of a job that has none yet, or that failed. */
export const withoutText = (head: Head) => ({ ...head, text: null, words: null, utterances: null, confidence: null });

/** AssemblyAI answers a deletion with what remains. */
export const deletedTranscript = (head: Head) => ({ ...withoutText(head), status: 'completed', audio_url: 'http://deleted_by_user', text: 'Deleted by user.', error: null });

/** Pieces of the body of a completed transcript. */
export async function* completedTranscript(head: Head, header: transcription.TranscriptHeader, spoken: SpokenWords, found: FoundByAddOns): AsyncGenerator<string> {
  const { summary: written, chapters, entities } = found;
  const members = {
    ...head,
    audio_duration: Math.round(header.duration || (head.audio_duration ?? 0)),
    summary: written?.text ?? null,
    chapters: chapters?.chapters.map(({ start, end, headline, gist }) => ({ start: Math.round(start * 1000), end: Math.round(end * 1000), headline, gist, summary: gist })) ?? null,
    entities: entities?.entities.filter(({ type }) => type !== 'percentage').map(entityJson) ?? null,
  };
  yield JSON.stringify(members).slice(0, -1);
  yield* spoken.members();
  if (head.speaker_labels || head.multichannel) yield* spoken.utterances();
  else yield ',"utterances":null';
  yield '}';
}

/** AssemblyAI's types of entities, where their names differ. It has none for percentages, and its client for Python refuses others. */
const ENTITY_TYPES: Readonly<Record<string, string>> = { money: 'money_amount', email: 'email_address', address: 'location_address', person: 'person_name' };

const entityJson = ({ type, text, start, end }: summary.Entity) => ({ entity_type: ENTITY_TYPES[type] ?? type, text, start: Math.round(start * 1000), end: Math.round(end * 1000) });
