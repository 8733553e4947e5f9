import { Inject, Injectable } from '@nestjs/common';
import type { common, events } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { PlannedChunk } from '@parlance/transcript';
import { chunkId, CHUNKS, type ChunkCheckpoint, type ChunkDocument } from './chunk-checkpoint.js';
import type { TranscribedChunk } from './chunk-transcriber.js';
import type { ChunkTask } from './chunk-task.js';

/** Stores how each chunk ended, with the event that tells it. */
@Injectable()
export class ChunkCheckpoints {
  private readonly chunks: DocumentCollection<ChunkDocument>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.chunks = documents.collection(CHUNKS);
  }

  async get(jobId: string, index: number): Promise<ChunkCheckpoint | undefined> {
    const document = (await this.chunks.get(chunkId(jobId, index)))?.document;
    return document?.state === 'transcribed' ? document : undefined;
  }

  countTranscribed(jobId: string): Promise<number> {
    return this.chunks.count({ jobId, state: 'transcribed' });
  }

  /** Whether the chunk was done before; when an older run did it, this run is told as well. */
  async reuse(task: ChunkTask, chunk: PlannedChunk): Promise<boolean> {
    const { stored } = await this.chunks.update(chunkId(task.jobId, task.index), (current) => {
      if (!current || !isOf(chunk, current) || current.run >= task.run) return undefined;
      const document = { ...current, run: task.run };
      return { document, events: [{ type: 'chunk.transcribed', data: transcribed(task, document) }] };
    });
    return stored !== undefined && isOf(chunk, stored.document);
  }

  async save(task: ChunkTask, chunk: PlannedChunk, result: TranscribedChunk): Promise<void> {
    const { start, end, ownStart, ownEnd } = chunk;
    const document: ChunkCheckpoint = { ...this.recordOf(task), state: 'transcribed', start, end, ownStart, ownEnd, ...result };
    await this.chunks.update(document.id, (current) => {
      if (current && isOf(chunk, current) && current.run >= task.run) return undefined;
      return { document, events: [{ type: 'chunk.transcribed', data: transcribed(task, document) }] };
    });
  }

  async fail(task: ChunkTask, failure: common.Failure): Promise<void> {
    const { jobId, accountId, run, index, total } = task;
    await this.chunks.update(chunkId(jobId, index), (current) => {
      if (current && (current.state === 'transcribed' || current.run >= run)) return undefined;
      return {
        document: { ...this.recordOf(task), state: 'failed', failure },
        events: [{ type: 'chunk.failed', data: { jobId, accountId, run, index, total, error: failure } }],
      };
    });
  }

  /** For an ingest that did not receive that a chunk of the run failed. */
  async reportFailuresAgain({ jobId, accountId, run, chunksTotal: total }: events.MediaReady): Promise<void> {
    for await (const { document } of this.chunks.all({ where: { jobId, state: 'failed' } })) {
      await this.chunks.update(document.id, (current) => {
        if (current?.state !== 'failed' || current.run !== run) return undefined;
        const { index, failure: error } = current;
        return { document: current, events: [{ type: 'chunk.failed', data: { jobId, accountId, run, index, total, error } }] };
      });
    }
  }

  count(jobId: string): Promise<number> {
    return this.chunks.count({ jobId });
  }

  remove(jobId: string): Promise<number> {
    return this.chunks.removeWhere({ jobId });
  }

  private recordOf({ jobId, accountId, index, run }: ChunkTask) {
    return { id: chunkId(jobId, index), createdAt: this.clock.now().toISOString(), jobId, accountId, index, run };
  }
}

/** A retry may plan anew: a checkpoint counts only for the stretch of media it was made from. */
export function isOf(chunk: PlannedChunk, document: ChunkDocument): document is ChunkCheckpoint {
  return document.state === 'transcribed' && document.start === chunk.start && document.end === chunk.end;
}

function transcribed(task: ChunkTask, checkpoint: ChunkCheckpoint): events.ChunkTranscribed {
  const { jobId, accountId, run, index, total, planKey } = task;
  const { processingSeconds, audioSeconds, language, warnings, ownStart, ownEnd } = checkpoint;
  const ownSeconds = ownEnd - ownStart;
  return { jobId, accountId, run, index, total, planKey, processingSeconds, audioSeconds, detectedLanguage: language, warnings, ownSeconds };
}
