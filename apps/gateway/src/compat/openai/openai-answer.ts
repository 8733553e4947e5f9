import type { ingest, transcripts } from '@parlance/contracts';
import { languageName } from '@parlance/languages';
import { speakerName } from '../speaker-letters.js';
import { escapedText, jsonList, type TranscriptPages } from '../transcript-text.js';
import { whisperSegment } from '../whisper-segment.js';
import type { OpenAiRequest } from './openai-request.js';

/** Pieces of the body of an answer in JSON (openapi.yaml of OpenAI, CreateTranscriptionResponse…). */
export async function* jsonAnswer({ format, words, segments, speakers }: OpenAiRequest, job: ingest.Job, pages: TranscriptPages): AsyncGenerator<string> {
  const { header } = pages.first;
  const duration = header?.duration ?? job.media?.duration ?? 0;
  const usage = `"usage":${JSON.stringify({ type: 'duration', seconds: Math.ceil(duration) })}`;
  if (format === 'json') {
    yield '{"text":"';
    yield* escapedText(pages);
    return yield `",${usage}}`;
  }
  // The lists follow the text, so the segments are kept until then.
  const all: transcripts.Segment[] = [];
  yield format === 'diarized_json' ? `{"task":"transcribe","duration":${duration},"text":"` : `{"task":"transcribe","language":${JSON.stringify(languageName(header?.language ?? '').toLowerCase())},"duration":${duration},"text":"`;
  yield* escapedText(pages, (segment) => all.push(segment));
  yield '"';
  if (format === 'diarized_json') yield* jsonList('segments', all, (segment, index) => speakerSegment(segment, index, header?.speakers ?? []));
  if (format === 'verbose_json' && words) yield* jsonList('words', all.flatMap((segment) => segment.words), ({ text, start, end }) => ({ word: text, start, end }));
  if (format === 'verbose_json' && segments) yield* jsonList('segments', all, (segment, index) => ({ ...whisperSegment(segment, index), ...(speakers && { speaker: speakerName(segment.speakerId, header?.speakers ?? []) }) }));
  yield `,${usage}}`;
}

export const speakerSegment = (segment: transcripts.Segment, index: number, speakers: readonly transcripts.Speaker[]) => ({
  type: 'transcript.text.segment',
  id: `seg_${String(index + 1).padStart(3, '0')}`,
  start: segment.start,
  end: segment.end,
  text: segment.text,
  speaker: speakerName(segment.speakerId, speakers),
});
