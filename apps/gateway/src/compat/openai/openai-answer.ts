import type { ingest, transcripts } from '@parlance/contracts';
import { languageName } from '@parlance/languages';
import { speakerName } from '../speaker-letters.js';
import { escapedText, flatMap, jsonList, type TranscriptReading } from '../transcript-text.js';
import { whisperSegment } from '../whisper-segment.js';
import { wordTokens } from './openai-logprobs.js';
import type { OpenAiRequest } from './openai-request.js';

/** Pieces of the body of an answer in JSON (openapi.yaml of OpenAI, CreateTranscriptionResponse…). */
export async function* jsonAnswer({ format, words, speakers, logprobs }: OpenAiRequest, job: ingest.Job, reading: TranscriptReading): AsyncGenerator<string> {
  const { header } = reading;
  const duration = header.duration || (job.media?.duration ?? 0);
  const language = JSON.stringify(languageName(header.language).toLowerCase());
  if (format === 'json') yield '{"text":"';
  else yield format === 'diarized_json' ? `{"task":"transcribe","duration":${duration},"text":"` : `{"task":"transcribe","language":${language},"duration":${duration},"text":"`;
  yield* escapedText(reading.segments());
  yield '"';
  if (logprobs) yield* jsonList('logprobs', wordTokens(reading.segments()), (token) => token);
  if (format === 'diarized_json') yield* jsonList('segments', reading.segments(), (segment, index) => speakerSegment(segment, index, header.speakers));
  if (format === 'verbose_json' && words) yield* jsonList('words', flatMap(reading.segments(), (segment) => segment.words), ({ text, start, end }) => ({ word: text, start, end }));
  if (format === 'verbose_json') yield* jsonList('segments', reading.segments(), (segment, index) => ({ ...whisperSegment(segment, index), ...(words && { words: segment.words.map(segmentWord) }), ...(speakers && { speaker: speakerName(segment.speakerId, header.speakers) }) }));
  yield `,"usage":${JSON.stringify({ type: 'duration', seconds: Math.ceil(duration) })}}`;
}

/** A word as faster-whisper's servers have it within its segment. OpenAI has words beside the segments alone. */
const segmentWord = ({ text, start, end, confidence }: transcripts.Word) => ({ word: text, start, end, ...(confidence !== undefined && { probability: confidence }) });

export const speakerSegment = (segment: transcripts.Segment, index: number, speakers: readonly transcripts.Speaker[]) => ({
  type: 'transcript.text.segment',
  id: `seg_${String(index + 1).padStart(3, '0')}`,
  start: segment.start,
  end: segment.end,
  text: segment.text,
  speaker: speakerName(segment.speakerId, speakers),
});
