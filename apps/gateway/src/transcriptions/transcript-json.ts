import type { transcription } from '@parlance/contracts';
import { segmentJson, separator, speakerJson } from '@parlance/transcript';

type Page = transcription.GetTranscriptResponse;

/** The transcript as JSON text, page by page; of the whole only its plain text is held, a megabyte for ten hours of talk. */
export async function* transcriptJson(first: Page, rest: AsyncIterable<Page>): AsyncGenerator<string> {
  const { header } = first;
  const speakers = (header?.speakers ?? []).map(speakerJson);
  const formatting = header?.formatting === '' ? undefined : header?.formatting;
  const head = JSON.stringify({ revision: header?.revision ?? 0, language: header?.language, duration: header?.duration, formatting, speakers });
  yield `${head.slice(0, -1)},"segments":[`;
  let text = '';
  let last: string | undefined;
  for await (const page of startingWith(first, rest)) {
    let json = '';
    for (const segment of page.segments) {
      json += (last === undefined ? '' : ',') + JSON.stringify(segmentJson(segment));
      text += last === undefined ? segment.text : separator(last, segment.text) + segment.text;
      last = segment.text;
    }
    if (json !== '') yield json;
  }
  yield `],"text":${JSON.stringify(text)}}`;
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** A JSON object that has members, with one more that is a stream. */
export async function* withMember(json: string, name: string, value: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${json.slice(0, -1)},${JSON.stringify(name)}:`;
  yield* value;
  yield '}';
}
