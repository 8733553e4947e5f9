import type { ingest, transcription, transcripts } from '@parlance/contracts';
import { occurrencesOf, sentencesOf } from '@parlance/transcript';
import { modelInfo, modelUuid } from './deepgram-models.js';
import { deepgramParagraphs } from './deepgram-paragraphs.js';
import type { DeepgramRequest } from './deepgram-request.js';
import { deepgramUtterances } from './deepgram-utterances.js';
import { confidenceOf, deepgramWord, transcriptOf, type DeepgramWord } from './deepgram-words.js';

/** A job with its whole transcript. */
interface FinishedJob {
  job: ingest.Job;
  header: transcription.TranscriptHeader;
  segments: readonly transcripts.Segment[];
}

/** The answer of `POST /v1/listen` (developers.deepgram.com, ListenV1Response). */
export async function deepgramAnswer(asked: DeepgramRequest, finished: FinishedJob): Promise<object> {
  const { header, segments } = finished;
  const channels = Map.groupBy(segments, ({ channel = 0 }) => (asked.multichannel ? channel : 0));
  const count = asked.multichannel ? Math.max(finished.job.media?.splitChannels ?? 1, ...[...channels.keys()].map((channel) => channel + 1)) : 1;
  const each = Array.from({ length: count }, (_, channel) => channels.get(channel) ?? []);
  const speakers = header.speakers.map(({ speakerId }) => speakerId);
  const spoken = each.map((those) => wordsOf(those, asked, speakers));
  return {
    metadata: metadataOf(asked, finished, count),
    results: {
      channels: await Promise.all(each.map((those, channel) => channelOf(asked, finished, those, spoken[channel] ?? []))),
      ...(asked.utterances && { utterances: deepgramUtterances(spoken, asked, finished.job.jobId) }),
    },
  };
}

function metadataOf({ tags, extra }: DeepgramRequest, { job, header }: FinishedJob, channels: number): object {
  const uuid = modelUuid(header.engine);
  return {
    transaction_key: 'deprecated',
    request_id: job.jobId,
    sha256: job.media?.sha256 ?? '',
    created: job.createdAt?.toISOString() ?? '',
    duration: header.duration,
    channels,
    models: [uuid],
    model_info: { [uuid]: modelInfo(header.engine) },
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

async function channelOf(asked: DeepgramRequest, { job, header }: FinishedJob, segments: readonly transcripts.Segment[], words: DeepgramWord[]): Promise<object> {
  const paragraphs = asked.paragraphs ? await deepgramParagraphs(await listOf(sentencesOf(segments)), asked.diarize ? header.speakers.map(({ speakerId }) => speakerId) : undefined) : undefined;
  return {
    ...(asked.search.length > 0 && { search: await searchIn(segments, asked.search) }),
    alternatives: [{ transcript: transcriptOf(words), confidence: confidenceOf(words), words, ...(paragraphs && { paragraphs }) }],
    ...(asked.detectsLanguage && { detected_language: header.language, ...(job.languageConfidence !== undefined && { language_confidence: job.languageConfidence }) }),
  };
}

const wordsOf = (segments: readonly transcripts.Segment[], { formatted, diarize }: DeepgramRequest, speakers: readonly string[]): DeepgramWord[] =>
  segments.flatMap(({ words, speakerId }) =>
    words.map((word) => {
      const speaker = speakers.indexOf(word.speakerId ?? speakerId ?? '');
      return { ...deepgramWord(word, formatted), ...(diarize && speaker >= 0 && { speaker, speaker_confidence: 1 }) };
    }),
  );

/** The places where the words themselves occur: no engine here searches by sound. */
async function searchIn(segments: readonly transcripts.Segment[], queries: readonly string[]): Promise<object[]> {
  const found = await listOf(occurrencesOf(segments, queries));
  return queries.map((query, index) => ({
    query,
    hits: found.filter(({ phrase }) => phrase === index).map(({ start, end, text }) => ({ confidence: 1, start, end, snippet: text })),
  }));
}

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
