import { separator } from '../segments/join-words.js';
import type { Segment, Word } from '../transcript.js';
import type { RenderOptions, RenderSource } from './render-options.js';

/** The transcript as in the public API, words included; without `timestamps`, neither times nor words. Reads the segments twice. */
export async function* renderJson({ info, segments }: RenderSource, options: RenderOptions): AsyncGenerator<string> {
  const speakers = options.speakers ? info.speakers : [];
  const head = {
    language: info.language,
    duration: info.duration,
    speakers: speakers.map(({ speakerId, name, talkTime }) => ({ speaker_id: speakerId, name, talk_time: talkTime })),
  };
  yield `${JSON.stringify(head).slice(0, -1)},"text":"`;
  let lastText: string | undefined;
  for await (const { text } of segments()) {
    yield JSON.stringify(lastText === undefined ? text : separator(lastText, text) + text).slice(1, -1);
    lastText = text;
  }
  yield '","segments":[';
  let isFirst = true;
  for await (const segment of segments()) {
    yield (isFirst ? '' : ',') + JSON.stringify(segmentJson(segment, options));
    isFirst = false;
  }
  yield ']}\n';
}

function segmentJson(segment: Segment, options: RenderOptions) {
  const { segmentId, start, end, text, confidence, words } = segment;
  return {
    segment_id: segmentId,
    ...(options.timestamps && { start, end }),
    ...speakerOf(segment, options),
    text,
    confidence,
    ...(options.timestamps && { words: words.map((word) => wordJson(word, options)) }),
  };
}

const wordJson = (word: Word, options: RenderOptions) => ({
  start: word.start,
  end: word.end,
  text: word.text,
  confidence: word.confidence,
  ...speakerOf(word, options),
});

const speakerOf = ({ speakerId }: { speakerId?: string | undefined }, { speakers }: RenderOptions) =>
  speakers && speakerId !== undefined ? { speaker_id: speakerId } : {};
