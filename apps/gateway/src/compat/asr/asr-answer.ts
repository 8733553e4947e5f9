import type { transcripts } from '@parlance/contracts';
import { whisperCode } from '@parlance/languages';
import { escapedText, flatMap, jsonList, type TranscriptReading } from '../transcript-text.js';
import { whisperSegment } from '../whisper-segment.js';
import type { AsrRequest } from './asr-request.js';

/** The transcript as whisper-asr-webservice gives it in JSON: Whisper's form, or with speakers that of WhisperX. */
export async function* asrJson({ words, diarization }: AsrRequest, { header, segments }: TranscriptReading): AsyncGenerator<string> {
  const hasSpeakers = diarization !== false;
  yield '{"text":"';
  yield* escapedText(segments());
  yield '"';
  const nameOf = hasSpeakers ? speakerNames(header.speakers) : () => ({});
  const wordJson = (word: transcripts.Word, { speakerId }: transcripts.Segment) => ({ word: hasSpeakers ? word.text : ` ${word.text}`, start: word.start, end: word.end, [hasSpeakers ? 'score' : 'probability']: word.confidence ?? 1, ...nameOf(word.speakerId ?? speakerId) });
  const wordsJson = (segment: transcripts.Segment) => segment.words.map((word) => wordJson(word, segment));
  yield* jsonList('segments', segments(), (segment, id) => ({ ...whisperSegment(segment, id), ...(words && { words: wordsJson(segment) }), ...nameOf(segment.speakerId) }));
  if (hasSpeakers) yield* jsonList('word_segments', flatMap(segments(), wordsJson), (word) => word);
  yield `,"language":${JSON.stringify(whisperCode(header.language || 'und'))}}`;
}

/** One line for each segment. */
export async function* asrText({ segments }: TranscriptReading): AsyncGenerator<string> {
  for await (const { text } of segments()) yield `${text}\n`;
}

/** Milliseconds and text of each segment between tabs. */
export async function* asrTsv({ segments }: TranscriptReading): AsyncGenerator<string> {
  yield 'start\tend\ttext\n';
  for await (const { start, end, text } of segments()) yield `${Math.round(start * 1000)}\t${Math.round(end * 1000)}\t${text.replaceAll('\t', ' ')}\n`;
}

/** Names as pyannote gives them: `SPEAKER_00` is the first one. A segment without a speaker has no name. */
function speakerNames(speakers: readonly transcripts.Speaker[]): (id: string | undefined) => { speaker?: string } {
  const names = new Map(speakers.map(({ speakerId }, index) => [speakerId, `SPEAKER_${String(index).padStart(2, '0')}`]));
  return (id = '') => {
    const speaker = names.get(id);
    return speaker === undefined ? {} : { speaker };
  };
}
