import { separator } from '../segments/join-words.js';
import type { RenderOptions, RenderSource } from './render-options.js';
import { redactedJson, segmentJson, speakerJson } from './segment-json.js';

/** The transcript as in the public API, words included; without `timestamps`, neither times nor words. Reads the segments twice. */
export async function* renderJson({ info, segments }: RenderSource, options: RenderOptions): AsyncGenerator<string> {
  const speakers = options.speakers ? info.speakers : [];
  const head = {
    ...(info.revision !== undefined && { revision: info.revision }),
    language: info.language,
    duration: info.duration,
    formatting: info.formatting,
    redacted: redactedJson(info.redacted),
    speakers: speakers.map(speakerJson),
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
