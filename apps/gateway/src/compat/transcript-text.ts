import type { transcription, transcripts } from '@parlance/contracts';
import { separator } from '@parlance/transcript';

/** A transcript that is read a page at a time, any number of times: answers have its text, then its words, then its utterances. */
export interface TranscriptReading {
  header: transcription.TranscriptHeader;
  /** From the beginning, always of the same revision. */
  segments(): AsyncGenerator<transcripts.Segment>;
}

/** The text of the segments as one line. */
export async function* plainText(segments: AsyncIterable<Pick<transcripts.Segment, 'text'>>): AsyncGenerator<string> {
  let previous = '';
  for await (const { text } of segments) {
    yield (previous === '' ? '' : separator(previous, text)) + text;
    previous = text;
  }
}

/** The same as the inside of a string in JSON. */
export async function* escapedText(segments: AsyncIterable<Pick<transcripts.Segment, 'text'>>): AsyncGenerator<string> {
  for await (const text of plainText(segments)) yield escaped(text);
}

/** The text as the inside of a string in JSON. */
export const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A list as a further member of an object in JSON. */
export async function* jsonList<T>(name: string, items: AsyncIterable<T> | Iterable<T>, json: (item: T, index: number) => object): AsyncGenerator<string> {
  yield `,"${name}":`;
  yield* jsonItems(items, json);
}

/** A list in JSON. */
export async function* jsonItems<T>(items: AsyncIterable<T> | Iterable<T>, json: (item: T, index: number) => object): AsyncGenerator<string> {
  let index = 0;
  yield '[';
  for await (const item of items) yield `${index === 0 ? '' : ','}${JSON.stringify(json(item, index++))}`;
  yield ']';
}

/** The items of all lists. */
export async function* flatMap<T, U>(items: AsyncIterable<T>, list: (item: T) => Iterable<U>): AsyncGenerator<U> {
  for await (const item of items) yield* list(item);
}

/** Characters of a piece of an answer: writing each word by itself is slow. */
const PIECE_LENGTH = 16_384;

/** The same text in fewer pieces. */
export async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const each of pieces) {
    piece += each;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
