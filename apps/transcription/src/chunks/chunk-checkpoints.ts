import { Inject, Injectable } from '@nestjs/common';
import type { common, events } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { PlannedChunk } from '@parlance/transcript';
import { chunkId, CHUNKS, type ChunkCheckpoint, type ChunkDocument } from './chunk-checkpoint.js';
import type { TranscribedChunk } from './transcribed-chunk.js';
import type { ChunkTask } from './chunk-task.js';

export type ChunkRange = Pick<ChunkCheckpoint, 'index' | 'start' | 'ownStart' | 'ownEnd' | 'channel'>;

/** Stores how each chunk ended, in one commit with the event that reports it. */
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

  /** Reports the chunk in this run too when an earlier one transcribed it by the same plan. @returns whether the chunk is transcribed */
  async reuse(task: ChunkTask, chunk: PlannedChunk): Promise<boolean> {
    const { stored } = await this.chunks.update(chunkId(task.jobId, task.index), (current) => {
      if (!current || !isOf(chunk, current) || current.run >= task.run) return undefined;
      const document = { ...current, run: task.run };
      return { document, events: [{ type: 'chunk.transcribed', data: transcribed(task, document) }] };
    });
    return stored !== undefined && isOf(chunk, stored.document);
  }

  async save(task: ChunkTask, chunk: PlannedChunk, result: TranscribedChunk): Promise<void> {
    const { start, end, ownStart, ownEnd, channel } = chunk;
    const document: ChunkCheckpoint = { ...this.recordOf(task), state: 'transcribed', start, end, ownStart, ownEnd, ...(channel !== undefined && { channel }), ...result };
    await this.chunks.update(document.id, (current) => {
      if (current && isOf(chunk, current) && current.run >= task.run) return undefined;
      return { document, events: [{ type: 'chunk.transcribed', data: transcribed(task, document) }] };
    });
  }

  /** Takes the place of a checkpoint of an earlier run: it is of another plan, as it would have been reused. @returns whether the chunk has failed in this run */
  async fail(task: ChunkTask, failure: common.Failure): Promise<boolean> {
    const { jobId, accountId, run, index, total } = task;
    const { stored } = await this.chunks.update(chunkId(jobId, index), (current) => {
      if (current && current.run >= run) return undefined;
      return {
        document: { ...this.recordOf(task), state: 'failed', failure },
        events: [{ type: 'chunk.failed', data: { jobId, accountId, run, index, total, error: failure } }],
      };
    });
    return stored?.document.state === 'failed' && stored.document.run === run;
  }

  /** Ingest received no end of the run for some time, so the report of a failed chunk may be lost. */
  async reportFailuresAgain({ jobId, accountId, run, chunksTotal: total }: events.MediaReady): Promise<void> {
    for await (const { document } of this.chunks.all({ where: { jobId, state: 'failed' } })) {
      await this.chunks.update(document.id, (current) => {
        if (current?.state !== 'failed' || current.run !== run) return undefined;
        const { index, failure: error } = current;
        return { document: current, events: [{ type: 'chunk.failed', data: { jobId, accountId, run, index, total, error } }] };
      });
    }
  }

  /** The parts of the media that chunks of all runs are responsible for, without those that have the words of the transcript. */
  async recognizedRanges(jobId: string): Promise<ChunkRange[]> {
    const ranges: ChunkRange[] = [];
    for await (const { document } of this.chunks.all({ where: { jobId, state: 'transcribed' } })) {
      if (document.state !== 'transcribed' || document.finals || document.isOfTranscript) continue;
      const { index, start, ownStart, ownEnd, channel } = document;
      ranges.push({ index, start, ownStart, ownEnd, channel });
    }
    return ranges;
  }

  /** Gives a transcribed chunk the words that the transcript has in its place. */
  async reword(jobId: string, { index, start, ownStart }: ChunkRange, words: ChunkCheckpoint['words']): Promise<void> {
    await this.chunks.update(chunkId(jobId, index), (current) => {
      if (current?.state !== 'transcribed' || current.start !== start || current.ownStart !== ownStart) return undefined;
      return { document: { ...current, words, isOfTranscript: true } };
    });
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

/** True for a checkpoint of the same part of the media. A retry may cut the chunks in other places. */
export function isOf(chunk: PlannedChunk, document: ChunkDocument): document is ChunkCheckpoint {
  return document.state === 'transcribed' && document.start === chunk.start && document.end === chunk.end && document.channel === chunk.channel;
}

function transcribed(task: ChunkTask, checkpoint: ChunkCheckpoint): events.ChunkTranscribed {
  const { jobId, accountId, run, index, total, planKey } = task;
  const { processingSeconds, audioSeconds, language, warnings, ownStart, ownEnd } = checkpoint;
  const ownSeconds = ownEnd - ownStart;
  return { jobId, accountId, run, index, total, planKey, processingSeconds, audioSeconds, detectedLanguage: language, warnings, ownSeconds };
}
