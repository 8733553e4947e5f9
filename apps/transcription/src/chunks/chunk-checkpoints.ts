import type { common, events } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { DocumentCollection } from '@parlance/storage';
import type { PlannedChunk } from '@parlance/transcript';
import { chunkId, type ChunkCheckpoint, type ChunkDocument } from './chunk-checkpoint.js';
import type { TranscribedChunk } from './chunk-transcriber.js';

/** Stores how each chunk ended, with the event that tells it. */
export class ChunkCheckpoints {
  constructor(
    private readonly chunks: DocumentCollection<ChunkDocument>,
    private readonly clock: Clock,
  ) {}

  async get(jobId: string, index: number): Promise<ChunkCheckpoint | undefined> {
    const document = (await this.chunks.get(chunkId(jobId, index)))?.document;
    return document?.state === 'transcribed' ? document : undefined;
  }

  countTranscribed(jobId: string): Promise<number> {
    return this.chunks.count({ jobId, state: 'transcribed' });
  }

  /** Whether the chunk was done before; when an older run did it, this run is told as well. */
  async reuse(task: events.ChunkRequested, chunk: PlannedChunk): Promise<boolean> {
    const { stored } = await this.chunks.update(chunkId(task.jobId, task.index), (current) => {
      if (!current || !isOf(chunk, current) || current.run >= task.run) return undefined;
      const document = { ...current, run: task.run };
      return { document, events: [{ type: 'chunk.transcribed', data: transcribed(task, document) }] };
    });
    return stored !== undefined && isOf(chunk, stored.document);
  }

  async save(task: events.ChunkRequested, chunk: PlannedChunk, result: TranscribedChunk): Promise<void> {
    const { start, end, ownStart, ownEnd } = chunk;
    const document: ChunkCheckpoint = { ...this.recordOf(task), state: 'transcribed', start, end, ownStart, ownEnd, ...result };
    await this.chunks.update(document.id, (current) => {
      if (current && isOf(chunk, current) && current.run >= task.run) return undefined;
      return { document, events: [{ type: 'chunk.transcribed', data: transcribed(task, document) }] };
    });
  }

  async fail(task: events.ChunkRequested, failure: common.Failure): Promise<void> {
    const { jobId, accountId, run, index, total } = task;
    await this.chunks.update(chunkId(jobId, index), (current) => {
      if (current && (current.state === 'transcribed' || current.run >= run)) return undefined;
      return {
        document: { ...this.recordOf(task), state: 'failed', failure },
        events: [{ type: 'chunk.failed', data: { jobId, accountId, run, index, total, error: failure } }],
      };
    });
  }

  remove(jobId: string): Promise<number> {
    return this.chunks.removeWhere({ jobId });
  }

  private recordOf({ jobId, accountId, index, run }: events.ChunkRequested) {
    return { id: chunkId(jobId, index), createdAt: this.clock.now().toISOString(), jobId, accountId, index, run };
  }
}

/** A retry may plan anew: a checkpoint counts only for the stretch of media it was made from. */
export function isOf(chunk: PlannedChunk, document: ChunkDocument): document is ChunkCheckpoint {
  return document.state === 'transcribed' && document.start === chunk.start && document.end === chunk.end;
}

function transcribed(task: events.ChunkRequested, checkpoint: ChunkCheckpoint): events.ChunkTranscribed {
  const { jobId, accountId, run, index, total, planKey } = task;
  const { processingSeconds, audioSeconds, language, warnings, ownStart, ownEnd } = checkpoint;
  const ownSeconds = ownEnd - ownStart;
  return { jobId, accountId, run, index, total, planKey, processingSeconds, audioSeconds, detectedLanguage: language, warnings, ownSeconds };
}
