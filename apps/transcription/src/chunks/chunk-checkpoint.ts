import type { common } from '@parlance/contracts';
import { type CollectionDefinition, type Document, ownerOfPart } from '@parlance/storage';
import type { TranscribedChunk } from './transcribed-chunk.js';

interface ChunkRecord extends Document {
  jobId: string;
  accountId: string;
  index: number;
  /** The newest run that includes the chunk. */
  run: number;
}

/** A transcribed chunk. It is not transcribed again by a retry of its job, unless the retry cuts the chunks in other places. */
export interface ChunkCheckpoint extends ChunkRecord, TranscribedChunk {
  state: 'transcribed';
  /** Seconds in the media: of the audio and of the part the chunk is responsible for, as planned. */
  start: number;
  end: number;
  ownStart: number;
  ownEnd: number;
  /** The channel of the recording, from 0; absent where the channels are mixed. */
  channel?: number | undefined;
  /** True when its words are those of the redacted transcript, which took the place of the recognised ones. */
  isOfTranscript?: boolean | undefined;
}

/** A chunk that failed its last try; a retry of the job may replace it. */
interface FailedChunk extends ChunkRecord {
  state: 'failed';
  failure: common.Failure;
}

export type ChunkDocument = ChunkCheckpoint | FailedChunk;

export const CHUNKS: CollectionDefinition<ChunkDocument> = {
  name: 'chunks',
  data: { what: 'recognized words of each chunk, with times', purpose: 'to keep what was recognized when a worker dies', kept: 'with the job', recipients: 'of a job with redaction of names, the model that finds them: `REDACTION_MODEL_URL`' },
  indexes: [{ fields: ['jobId', 'state'] }, { fields: ['jobId'] }],
  sealed: { fields: ['words', 'finals', 'failure'], owner: ownerOfPart },
};

export const chunkId = (jobId: string, index: number): string => `${jobId}/${String(index).padStart(6, '0')}`;
