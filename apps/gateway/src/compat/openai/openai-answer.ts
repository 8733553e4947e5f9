import type { ingest, transcription, transcripts } from '@parlance/contracts';
import { languageName } from '@parlance/languages';
import { separator } from '@parlance/transcript';
import type { OpenAiRequest } from './openai-request.js';

/** A transcript as it is read, page by page. */
export interface TranscriptPages {
  first: transcription.GetTranscriptResponse;
  rest: AsyncGenerator<transcription.GetTranscriptResponse>;
}

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
  if (format === 'diarized_json') yield* list('segments', all, (segment, index) => speakerSegment(segment, index, header?.speakers ?? []));
  if (format === 'verbose_json' && words) yield* list('words', all.flatMap((segment) => segment.words), ({ text, start, end }) => ({ word: text, start, end }));
  if (format === 'verbose_json' && segments) yield* list('segments', all, (segment, index) => ({ ...whisperSegment(segment, index), ...(speakers && { speaker: speakerName(segment, header?.speakers ?? []) }) }));
  yield `,${usage}}`;
}

/** The text of all segments as one line. */
export async function* plainText(pages: TranscriptPages, onSegment: (segment: transcripts.Segment) => void = () => {}): AsyncGenerator<string> {
  let previous = '';
  for await (const page of pagesOf(pages)) {
    for (const segment of page.segments) {
      onSegment(segment);
      yield (previous === '' ? '' : separator(previous, segment.text)) + segment.text;
      previous = segment.text;
    }
  }
}

async function* escapedText(pages: TranscriptPages, onSegment?: (segment: transcripts.Segment) => void): AsyncGenerator<string> {
  for await (const text of plainText(pages, onSegment)) yield JSON.stringify(text).slice(1, -1);
}

async function* pagesOf({ first, rest }: TranscriptPages): AsyncGenerator<transcription.GetTranscriptResponse> {
  yield first;
  yield* rest;
}

function* list<T>(name: string, items: readonly T[], json: (item: T, index: number) => object): Generator<string> {
  yield `,"${name}":[`;
  for (const [index, item] of items.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(json(item, index))}`;
  yield ']';
}

/** A segment in Whisper's form. What no engine of ours gives has a neutral value: no tokens, no compression, no silence. */
const whisperSegment = ({ start, end, text, confidence }: transcripts.Segment, id: number) => ({
  id,
  seek: 0,
  start,
  end,
  text: ` ${text}`,
  tokens: [],
  temperature: 0,
  avg_logprob: confidence === undefined || confidence <= 0 ? 0 : Math.log(confidence),
  compression_ratio: 1,
  no_speech_prob: 0,
});

export const speakerSegment = (segment: transcripts.Segment, index: number, speakers: readonly transcripts.Speaker[]) => ({
  type: 'transcript.text.segment',
  id: `seg_${String(index + 1).padStart(3, '0')}`,
  start: segment.start,
  end: segment.end,
  text: segment.text,
  speaker: speakerName(segment, speakers),
});

const LETTERS = 26;

/** The name that a person gave the speaker, otherwise a letter by the order of first speaking, as OpenAI has it. */
function speakerName({ speakerId }: transcripts.Segment, speakers: readonly transcripts.Speaker[]): string {
  const index = speakers.findIndex((speaker) => speaker.speakerId === speakerId);
  const name = speakers[index]?.name;
  if (name !== undefined && !/^Speaker \d+$/.test(name)) return name;
  return index < LETTERS ? String.fromCharCode(65 + Math.max(0, index)) : `S${index + 1}`;
}
