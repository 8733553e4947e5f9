import { setImmediate } from 'node:timers/promises';
import type { transcription } from '@parlance/contracts';
import { notFound } from '@parlance/platform';
import { mergeChunks, segmentWords, wordOnChannel, type MergedWord, type Segment } from '@parlance/transcript';
import type { ChunkCheckpoint } from '../chunks/chunk-checkpoint.js';
import { finalSegments } from '../chunks/live-chunk.js';
import type { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';

/** Maximum chunks in one answer. */
const CHUNKS_PER_ANSWER = 50;
/** An answer ends with the chunk that reaches this number of segments: it is copied in one turn of the event loop. */
const SEGMENTS_PER_ANSWER = 500;

/** Writes words as the job asks. `language`: that of the chunk, when the engine detected one. */
type WriteWords = (words: AsyncIterable<MergedWord>, language: string | undefined) => AsyncIterable<MergedWord>;

/** The segments of the chunks that are done from `fromChunk` on, up to the first that is not. */
export async function listChunkSegments(
  checkpoints: ChunkCheckpoints,
  { jobId, accountId, fromChunk }: transcription.ListChunkSegmentsRequest,
  write: WriteWords,
): Promise<transcription.ListChunkSegmentsResponse> {
  const segments: Segment[] = [];
  let nextChunk = fromChunk;
  while (nextChunk < fromChunk + CHUNKS_PER_ANSWER && segments.length < SEGMENTS_PER_ANSWER) {
    const checkpoint = await checkpoints.get(jobId, nextChunk);
    if (!checkpoint) break;
    if (checkpoint.accountId !== accountId) throw notFound('The transcript');
    for await (const segment of provisionalSegments(checkpoint, write)) segments.push(segment);
    nextChunk++;
    // An embedded store answers without leaving the event loop; others must have their turn.
    await setImmediate();
  }
  return { segments, nextChunk };
}

/** The segments of the part that this chunk is responsible for. The merge may move a word at its edges to a neighbouring chunk. */
function provisionalSegments(checkpoint: ChunkCheckpoint, write: WriteWords): AsyncIterable<Segment> | Iterable<Segment> {
  const { index, start, ownStart, ownEnd, channel, language, isPunctuated } = checkpoint;
  const idOf = (number: number) => `chunk_${pad(index, 6)}_${pad(number, 3)}`;
  if (checkpoint.finals) return finalSegments(checkpoint, idOf);
  const isOwn = (time: number) => time >= ownStart && time < ownEnd;
  const words = checkpoint.words
    .filter((word) => isOwn(start + (word.start + word.end) / 2))
    .map((word) => ({ ...word, start: word.start + start, end: word.end + start }))
    .map((word) => (channel === undefined ? word : wordOnChannel(word, channel)));
  const chunk = { index, start: 0, end: ownEnd, ownStart: 0, ownEnd, speech: [], audioKey: '' };
  const inOrder = mergeChunks(one({ chunk, words, isPunctuated }), { duration: ownEnd });
  return segmentWords(write(inOrder, language), { idOf });
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value;
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0');
