import type { transcription, transcripts } from '@parlance/contracts';
import { separator } from '@parlance/transcript';

/** A transcript as it is read, page by page. */
export interface TranscriptPages {
  first: transcription.GetTranscriptResponse;
  rest: AsyncGenerator<transcription.GetTranscriptResponse>;
}

/** The segments of all pages. */
export async function* segmentsOf({ first, rest }: TranscriptPages): AsyncGenerator<transcripts.Segment> {
  yield* first.segments;
  for await (const page of rest) yield* page.segments;
}

/** The text of all segments as one line. */
export async function* plainText(pages: TranscriptPages, onSegment: (segment: transcripts.Segment) => void = () => {}): AsyncGenerator<string> {
  let previous = '';
  for await (const segment of segmentsOf(pages)) {
    onSegment(segment);
    yield (previous === '' ? '' : separator(previous, segment.text)) + segment.text;
    previous = segment.text;
  }
}

/** The same as the inside of a string in JSON. */
export async function* escapedText(pages: TranscriptPages, onSegment?: (segment: transcripts.Segment) => void): AsyncGenerator<string> {
  for await (const text of plainText(pages, onSegment)) yield JSON.stringify(text).slice(1, -1);
}

/** A list as a further member of an object in JSON. */
export function* jsonList<T>(name: string, items: Iterable<T>, json: (item: T, index: number) => object): Generator<string> {
  yield `,"${name}":[`;
  let index = 0;
  for (const item of items) yield `${index === 0 ? '' : ','}${JSON.stringify(json(item, index++))}`;
  yield ']';
}
