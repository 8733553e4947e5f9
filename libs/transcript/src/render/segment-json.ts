import { wordIdOf } from '../editing/word-ids.js';
import type { Segment, Speaker, Word } from '../transcript.js';
import type { RenderOptions } from './render-options.js';

type JsonOptions = Pick<RenderOptions, 'speakers' | 'timestamps'>;

const ALL: JsonOptions = { speakers: true, timestamps: true };

/** A segment as the public API shows it; without `words` when there are none. */
export function segmentJson(segment: Segment, options = ALL) {
  const { segmentId, start, end, text, confidence, words, language } = segment;
  return {
    segment_id: segmentId,
    ...(options.timestamps && { start, end }),
    ...speakerOf(segment, options),
    ...channelOf(segment),
    text,
    ...(confidence !== undefined && { confidence }),
    ...(language !== undefined && { language }),
    ...(options.timestamps && words.length > 0 && { words: words.map((word, index) => wordJson(segmentId, word, index, options)) }),
  };
}

const wordJson = (segmentId: string, word: Word, index: number, options: JsonOptions) => ({
  word_id: wordIdOf(segmentId, word, index),
  start: word.start,
  end: word.end,
  text: word.text,
  ...(word.confidence !== undefined && { confidence: word.confidence }),
  ...speakerOf(word, options),
  ...channelOf(word),
  ...(word.estimated === true && { estimated: true }),
  ...(word.redacted !== undefined && { redacted: word.redacted, ...(word.redactedBy !== undefined && { redacted_by: word.redactedBy }) }),
  ...(word.raw !== undefined && { raw: word.raw }),
});

const channelOf = ({ channel }: { channel?: number | undefined }) => (channel === undefined ? {} : { channel });

const speakerOf = ({ speakerId }: { speakerId?: string | undefined }, { speakers }: JsonOptions) =>
  speakers && speakerId !== undefined ? { speaker_id: speakerId } : {};

export const speakerJson = ({ speakerId, name, talkTime }: Speaker) => ({ speaker_id: speakerId, name, talk_time: talkTime });

/** Words that stand for redacted ones, by policy; absent where there are none. */
export const redactedJson = (redacted: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> | undefined => (Object.keys(redacted).length > 0 ? redacted : undefined);
