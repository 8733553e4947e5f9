import { setImmediate } from 'node:timers/promises';
import type { transcription } from '@parlance/contracts';
import { notFound } from '@parlance/platform';
import { mergeChunks, segmentWords, wordOnChannel, type MergedWord, type Segment } from '@parlance/transcript';
import type { ChunkCheckpoint } from '../chunks/chunk-checkpoint.js';
import type { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { withNeighbors } from '../chunks/chunk-neighbors.js';
import { finalSegments } from '../chunks/live-chunk.js';

/** Maximum chunks in one answer. */
const CHUNKS_PER_ANSWER = 50;
/** An answer ends with the chunk that reaches this number of segments: it is copied in one turn of the event loop. */
const SEGMENTS_PER_ANSWER = 500;

interface Writing {
  /** Writes words as the job asks. `language`: that of the chunk, when the engine detected one. */
  write: (words: AsyncIterable<MergedWord>, language: string | undefined) => AsyncIterable<MergedWord>;
  isRedacted: boolean;
  /** True where only the transcript says what is redacted, so that no words are listed before the checkpoints have its own. */
  isHeld?: boolean;
  /** Gives all checkpoints the words of the transcript, where some have them already. */
  reword: () => Promise<void>;
  /** Later chunks are of an earlier run, whose plan had more. */
  chunksTotal: number;
}

/**
 * The segments of the chunks that are done from `fromChunk` on, up to the first that is not. With redaction a chunk is read together
 * with those beside it, as a number may be cut between two: it follows when they are done.
 */
export async function listChunkSegments(
  checkpoints: Pick<ChunkCheckpoints, 'get'>,
  { jobId, accountId, fromChunk }: transcription.ListChunkSegmentsRequest,
  { write, isRedacted, isHeld = false, reword, chunksTotal }: Writing,
): Promise<transcription.ListChunkSegmentsResponse> {
  const segments: Segment[] = [];
  let nextChunk = fromChunk;
  const end = Math.min(chunksTotal, fromChunk + CHUNKS_PER_ANSWER);
  while (nextChunk < end && segments.length < SEGMENTS_PER_ANSWER) {
    let checkpoint = await checkpoints.get(jobId, nextChunk);
    if (!checkpoint) break;
    if (checkpoint.accountId !== accountId) throw notFound('The transcript');
    if (isHeld && !isFinal(checkpoint)) break;
    let read = isRedacted && !isFinal(checkpoint) ? await withNeighbors(checkpoints, checkpoint, chunksTotal) : [checkpoint];
    if (!read) break;
    if (areMixed(checkpoint, read)) {
      await reword();
      checkpoint = await checkpoints.get(jobId, nextChunk);
      if (!checkpoint?.isOfTranscript) break;
      read = [checkpoint];
    }
    for await (const segment of provisionalSegments(checkpoint, read, write)) segments.push(segment);
    nextChunk++;
    // An embedded store answers without leaving the event loop; others must have their turn.
    await setImmediate();
  }
  return { segments, nextChunk };
}

/** True where the words are written as the transcript has them. */
const isFinal = ({ finals, isOfTranscript }: ChunkCheckpoint): boolean => finals !== undefined || isOfTranscript === true;

/** True where a chunk has the words that were recognized beside one that has those of the transcript: redaction would miss the remaining half of a number. */
const areMixed = (checkpoint: ChunkCheckpoint, read: readonly ChunkCheckpoint[]): boolean => !isFinal(checkpoint) && read.some(({ isOfTranscript }) => isOfTranscript);

/** The segments of the part that this chunk is responsible for. The merge may move a word at its edges to a neighboring chunk. @param read the chunk with those beside it that are read for it */
function provisionalSegments(checkpoint: ChunkCheckpoint, read: readonly ChunkCheckpoint[], write: Writing['write']): AsyncIterable<Segment> | Iterable<Segment> {
  const { index, channel, language } = checkpoint;
  const idOf = (number: number) => `chunk_${pad(index, 6)}_${pad(number, 3)}`;
  if (checkpoint.finals) return finalSegments(checkpoint, idOf);
  const own = ownWords(checkpoint);
  const written = read.length > 1 ? within(checkpoint, write(mergedWords(read), language)) : checkpoint.isOfTranscript ? own : write(own, language);
  return segmentWords(channel === undefined ? written : onChannel(written, channel), { idOf });
}

/** The words in the middle of the chunk, at their place in the media. */
function ownWords({ index, start, ownStart, ownEnd, words, isPunctuated }: ChunkCheckpoint): AsyncIterable<MergedWord> {
  const chunk = { index, start: 0, end: ownEnd, ownStart: 0, ownEnd, speech: [], audioKey: '' };
  const own = words.filter((word) => isWithin({ ownStart, ownEnd }, word, start)).map((word) => ({ ...word, start: word.start + start, end: word.end + start }));
  return mergeChunks(each([{ chunk, words: own, isPunctuated }]), { duration: ownEnd });
}

const mergedWords = (chunks: readonly ChunkCheckpoint[]): AsyncIterable<MergedWord> =>
  mergeChunks(each(chunks.map(({ words, isPunctuated, ...chunk }) => ({ chunk: { ...chunk, speech: [], audioKey: '' }, words, isPunctuated }))), { duration: chunks.at(-1)?.end ?? 0 });

const isWithin = ({ ownStart, ownEnd }: Pick<ChunkCheckpoint, 'ownStart' | 'ownEnd'>, { start, end }: MergedWord, offset = 0): boolean =>
  offset + (start + end) / 2 >= ownStart && offset + (start + end) / 2 < ownEnd;

async function* within(chunk: ChunkCheckpoint, words: AsyncIterable<MergedWord>): AsyncGenerator<MergedWord> {
  for await (const word of words) if (isWithin(chunk, word)) yield word;
}

async function* onChannel(words: AsyncIterable<MergedWord>, channel: number): AsyncGenerator<MergedWord> {
  for await (const word of words) yield wordOnChannel(word, channel);
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0');
