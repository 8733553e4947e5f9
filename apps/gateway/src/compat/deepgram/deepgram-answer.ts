import type { ingest, transcripts } from '@parlance/contracts';
import { occurrencesOf, sentencesOf } from '@parlance/transcript';
import { escaped, escapedText, flatMap, jsonItems, jsonList, type TranscriptReading } from '../transcript-text.js';
import { modelInfo, modelUuid } from './deepgram-model-info.js';
import { deepgramParagraphs, paragraphTexts } from './deepgram-paragraphs.js';
import type { DeepgramRequest } from './deepgram-request.js';
import { deepgramUtterances } from './deepgram-utterances.js';
import { deepgramWord, MeanConfidence, spokenText, type DeepgramWord } from './deepgram-words.js';

/** A job with its transcript. */
interface FinishedJob {
  job: ingest.Job;
  reading: TranscriptReading;
}

/** Reads a channel, or the whole transcript, once more from its beginning. */
type Channel = () => AsyncGenerator<transcripts.Segment>;

/** Pieces of the answer of `POST /v1/listen` (developers.deepgram.com, ListenV1Response). The transcript is read again for each part, and not held. */
export async function* deepgramAnswer(asked: DeepgramRequest, finished: FinishedJob): AsyncGenerator<string> {
  const channels = await channelsOf(asked, finished);
  yield `{"metadata":${JSON.stringify(metadataOf(asked, finished, channels.length))},"results":{"channels":[`;
  for (const [index, channel] of channels.entries()) {
    if (index > 0) yield ',';
    yield* channelJson(asked, finished, channel);
  }
  yield ']';
  if (asked.utterances) {
    const words = channels.map((channel) => wordsOf(channel, asked, finished));
    yield* jsonList('utterances', deepgramUtterances(words, asked, finished.job.jobId), (utterance) => utterance);
  }
  yield '}}';
}

async function channelsOf({ multichannel }: DeepgramRequest, { job, reading }: FinishedJob): Promise<Channel[]> {
  if (!multichannel) return [() => reading.segments()];
  let count = job.media?.splitChannels ?? 1;
  for await (const { channel = 0 } of reading.segments()) count = Math.max(count, channel + 1);
  return Array.from({ length: count }, (_, channel) => () => only(reading.segments(), channel));
}

async function* only(segments: AsyncIterable<transcripts.Segment>, channel: number): AsyncGenerator<transcripts.Segment> {
  for await (const segment of segments) if ((segment.channel ?? 0) === channel) yield segment;
}

function metadataOf({ tags, extra }: DeepgramRequest, { job, reading: { header } }: FinishedJob, channels: number): object {
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

async function* channelJson(asked: DeepgramRequest, finished: FinishedJob, channel: Channel): AsyncGenerator<string> {
  const { job, reading: { header } } = finished;
  yield '{"alternatives":[{"transcript":"';
  yield* escapedText(spokenTexts(wordsOf(channel, asked, finished)));
  yield '"';
  const mean = new MeanConfidence();
  yield* jsonList('words', wordsOf(channel, asked, finished), (word) => mean.add(word));
  yield `,"confidence":${mean.value}`;
  if (asked.paragraphs) yield* paragraphsJson(asked, finished, channel);
  yield '}]';
  if (asked.search.length > 0) yield* searchJson(channel, asked.search);
  if (asked.detectsLanguage) yield `,"detected_language":${JSON.stringify(header.language)}${job.languageConfidence === undefined ? '' : `,"language_confidence":${job.languageConfidence}`}`;
  yield '}';
}

async function* paragraphsJson({ diarize }: DeepgramRequest, { reading: { header } }: FinishedJob, channel: Channel): AsyncGenerator<string> {
  const speakers = diarize ? header.speakers.map(({ speakerId }) => speakerId) : undefined;
  yield ',"paragraphs":{"transcript":"';
  for await (const text of paragraphTexts(sentencesOf(channel()), speakers)) yield escaped(text);
  yield '"';
  yield* jsonList('paragraphs', deepgramParagraphs(() => sentencesOf(channel()), speakers), (paragraph) => paragraph);
  yield '}';
}

/** The words of a channel in Deepgram's form. */
const wordsOf = (channel: Channel, { formatted, diarize }: DeepgramRequest, { reading: { header } }: FinishedJob): AsyncGenerator<DeepgramWord> => {
  const speakers = header.speakers.map(({ speakerId }) => speakerId);
  return flatMap(channel(), ({ words, speakerId }) =>
    words.map((word) => {
      const speaker = speakers.indexOf(word.speakerId ?? speakerId ?? '');
      return { ...deepgramWord(word, formatted), ...(diarize && speaker >= 0 && { speaker, speaker_confidence: 1 }) };
    }),
  );
};

async function* spokenTexts(words: AsyncIterable<DeepgramWord>): AsyncGenerator<{ text: string }> {
  for await (const word of words) yield { text: spokenText(word) };
}

/** The places where the words themselves occur: no engine here searches by sound. */
async function* searchJson(channel: Channel, queries: readonly string[]): AsyncGenerator<string> {
  yield ',"search":[';
  for (const [index, query] of queries.entries()) {
    yield `${index === 0 ? '' : ','}{"query":${JSON.stringify(query)},"hits":`;
    yield* jsonItems(occurrencesOf(channel(), [query]), ({ start, end, text }) => ({ confidence: 1, start, end, snippet: text }));
    yield '}';
  }
  yield ']';
}
