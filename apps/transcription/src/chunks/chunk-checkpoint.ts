import type { common } from '@parlance/contracts';
import type { CollectionDefinition, Document } from '@parlance/storage';
import type { Word } from '@parlance/transcript';

interface ChunkRecord extends Document {
  jobId: string;
  accountId: string;
  index: number;
  /** The newest run that includes the chunk. */
  run: number;
}

/** A transcribed chunk. It is not transcribed again by a retry of its job, unless the retry cuts the chunks in other places. */
export interface ChunkCheckpoint extends ChunkRecord {
  state: 'transcribed';
  /** Seconds in the media: of the audio and of the part the chunk is responsible for, as planned. */
  start: number;
  end: number;
  ownStart: number;
  ownEnd: number;
  /** The channel of the recording, from 0; absent where the channels are mixed. */
  channel?: number | undefined;
  /** Times are relative to `start`. */
  words: Word[];
  /** Seconds of planned speech: the weight of the detected language. */
  speechSeconds: number;
  /** Seconds of audio that the engine received; 0 for a chunk without speech. */
  audioSeconds: number;
  /** Seconds of wall-clock time. */
  processingSeconds: number;
  engine: string;
  /** BCP 47: the language that the engine detected. */
  language?: string | undefined;
  languageConfidence?: number | undefined;
  /** BCP 47: the language of the words where the detection was limited to expected languages. */
  spoken?: string | undefined;
  /** True when none of the expected languages was detected with enough confidence. */
  isLanguageUncertain?: boolean | undefined;
  /** True when a model wrote the punctuation of the words. */
  isPunctuated?: boolean | undefined;
  warnings: common.Warning[];
}

/** A chunk that failed its last try; a retry of the job may replace it. */
interface FailedChunk extends ChunkRecord {
  state: 'failed';
  failure: common.Failure;
}

export type ChunkDocument = ChunkCheckpoint | FailedChunk;

export const CHUNKS: CollectionDefinition<ChunkDocument> = {
  name: 'chunks',
  indexes: [{ fields: ['jobId', 'state'] }, { fields: ['jobId'] }],
};

export const chunkId = (jobId: string, index: number): string => `${jobId}/${String(index).padStart(6, '0')}`;
