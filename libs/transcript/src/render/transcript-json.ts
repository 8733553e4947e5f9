import { separator } from '../segments/join-words.js';
import type { Segment, Speaker } from '../transcript.js';
import { redactedJson, segmentJson, speakerJson } from './segment-json.js';

/** A part of a transcript, as TranscriptService streams it: the first one has the header. */
export interface TranscriptPage {
  header?: { revision?: number | undefined; language: string; duration: number; formatting: string; speakers: Speaker[]; redacted?: Readonly<Record<string, number>> } | undefined;
  segments: Segment[];
}

/** The transcript as JSON text, page by page; of the whole only its plain text is held, a megabyte for ten hours of talk. */
export async function* transcriptJson(first: TranscriptPage, rest: AsyncIterable<TranscriptPage>): AsyncGenerator<string> {
  const { header } = first;
  const speakers = (header?.speakers ?? []).map(speakerJson);
  const formatting = header?.formatting === '' ? undefined : header?.formatting;
  const head = JSON.stringify({ revision: header?.revision ?? 0, language: header?.language, duration: header?.duration, formatting, redacted: redactedJson(header?.redacted), speakers });
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
