import type { transcripts } from '@parlance/contracts';
import { whisperCode } from '@parlance/languages';
import { escapedText, jsonList, segmentsOf, type TranscriptPages } from '../transcript-text.js';
import { whisperSegment } from '../whisper-segment.js';
import type { AsrRequest } from './asr-request.js';

/** The transcript as whisper-asr-webservice gives it in JSON: Whisper's form, or with speakers that of WhisperX. */
export async function* asrJson({ words, diarization }: AsrRequest, pages: TranscriptPages): AsyncGenerator<string> {
  const { header } = pages.first;
  const hasSpeakers = diarization !== false;
  // The lists follow the text, so the segments are kept until then.
  const segments: transcripts.Segment[] = [];
  yield '{"text":"';
  yield* escapedText(pages, (segment) => segments.push(segment));
  yield '"';
  const nameOf = hasSpeakers ? speakerNames(header?.speakers ?? []) : () => ({});
  const wordJson = (word: transcripts.Word, { speakerId }: transcripts.Segment) => ({ word: hasSpeakers ? word.text : ` ${word.text}`, start: word.start, end: word.end, [hasSpeakers ? 'score' : 'probability']: word.confidence ?? 1, ...nameOf(word.speakerId ?? speakerId) });
  const wordsJson = (segment: transcripts.Segment) => segment.words.map((word) => wordJson(word, segment));
  yield* jsonList('segments', segments, (segment, id) => ({ ...whisperSegment(segment, id), ...(words && { words: wordsJson(segment) }), ...nameOf(segment.speakerId) }));
  if (hasSpeakers) yield* jsonList('word_segments', segments.flatMap(wordsJson), (word) => word);
  yield `,"language":${JSON.stringify(whisperCode(header?.language ?? 'und'))}}`;
}

/** One line for each segment. */
export async function* asrText(pages: TranscriptPages): AsyncGenerator<string> {
  for await (const { text } of segmentsOf(pages)) yield `${text}\n`;
}

/** Milliseconds and text of each segment between tabs. */
export async function* asrTsv(pages: TranscriptPages): AsyncGenerator<string> {
  yield 'start\tend\ttext\n';
  for await (const { start, end, text } of segmentsOf(pages)) yield `${Math.round(start * 1000)}\t${Math.round(end * 1000)}\t${text.replaceAll('\t', ' ')}\n`;
}

/** Names as pyannote gives them: `SPEAKER_00` is the first one. A segment without a speaker has no name. */
function speakerNames(speakers: readonly transcripts.Speaker[]): (id: string | undefined) => { speaker?: string } {
  const names = new Map(speakers.map(({ speakerId }, index) => [speakerId, `SPEAKER_${String(index).padStart(2, '0')}`]));
  return (id = '') => {
    const speaker = names.get(id);
    return speaker === undefined ? {} : { speaker };
  };
}
