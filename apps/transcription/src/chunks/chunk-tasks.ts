import type { events } from '@parlance/contracts';
import type { Delivery } from '@parlance/event-bus';
import { inSpan, isFinalFailure, type Logger } from '@parlance/platform';
import type { RunningTasks } from '@parlance/runtime';
import type { JobLedger } from '../jobs/job-ledger.js';
import type { ChunkCheckpoints } from './chunk-checkpoints.js';
import { describeChunkFailure } from './chunk-failure.js';
import type { ChunkMetrics } from './chunk-metrics.js';
import type { ChunkTranscriber } from './chunk-transcriber.js';
import type { PlanReader } from './plan-reader.js';

export interface ChunkTasksParts {
  ledger: JobLedger;
  running: RunningTasks;
  plans: PlanReader;
  transcriber: ChunkTranscriber;
  checkpoints: ChunkCheckpoints;
  metrics: ChunkMetrics;
  log: Logger;
}

/** Does one chunk: once, unless its job is not wanted any more. */
export class ChunkTasks {
  constructor(private readonly parts: ChunkTasksParts) {}

  async handle({ event, attempt, signal }: Delivery<'chunk.requested'>): Promise<void> {
    const task = event.data;
    if (attempt > 1) this.parts.metrics.retried();
    try {
      await this.parts.running.run(task.jobId, signal, (stop) => this.transcribe(task, attempt, stop));
    } catch (error) {
      // The process stops; the bus delivers the chunk again.
      if (signal.aborted) throw error;
      this.parts.log.warn({ ...logFields(task), attempt, err: error }, 'chunk failed');
      if (!isFinalFailure(error)) throw error;
      await this.giveUp(task, error);
    }
  }

  /** Tells the job where in the media it failed and why. */
  async giveUp(task: events.ChunkRequested, error: unknown): Promise<void> {
    const { plans, checkpoints, metrics } = this.parts;
    const planned = await plans.readChunk(task).catch(() => undefined);
    const failure = describeChunkFailure(task, planned?.chunk, error);
    metrics.failed(failure.code);
    await checkpoints.fail(task, failure);
    await this.removeIfDeleted(task.jobId);
  }

  /** The erasure writes its tombstone, then removes; a task writes, then looks for the tombstone: one of the two sees the other. */
  private async removeIfDeleted(jobId: string): Promise<void> {
    const { ledger, checkpoints } = this.parts;
    if (await ledger.isDeleted(jobId)) await checkpoints.remove(jobId);
  }

  private async transcribe(task: events.ChunkRequested, attempt: number, signal: AbortSignal): Promise<void> {
    const { ledger, plans, checkpoints, transcriber, metrics, log } = this.parts;
    const state = await ledger.begin(task);
    if (state === 'deleted') await checkpoints.remove(task.jobId);
    if (state !== 'active') return;
    const { chunk, options } = await plans.readChunk(task);
    if (await checkpoints.reuse(task, chunk)) return;
    log.debug({ ...logFields(task), attempt }, 'chunk begun');
    const attributes = { 'parlance.job_id': task.jobId, 'parlance.chunk': task.index, 'parlance.attempt': attempt };
    const result = await inSpan('transcribe chunk', { attributes }, async (span) => {
      const transcribed = await transcriber.transcribe(chunk, options, signal);
      const { engine, audioSeconds, processingSeconds } = transcribed;
      span.set({ 'parlance.engine': engine, 'parlance.audio_seconds': audioSeconds, 'parlance.processing_seconds': processingSeconds });
      return transcribed;
    });
    signal.throwIfAborted();
    await checkpoints.save(task, chunk, result);
    await this.removeIfDeleted(task.jobId);

    metrics.transcribed(result);
    const { engine, processingSeconds, audioSeconds, words } = result;
    log.info({ ...logFields(task), attempt, engine, processingSeconds, audioSeconds, words: words.length }, 'chunk transcribed');
  }
}

const logFields = ({ jobId, accountId, run, index, total }: events.ChunkRequested) => ({
  job_id: jobId,
  account_id: accountId,
  run,
  chunk: index,
  chunks: total,
});
