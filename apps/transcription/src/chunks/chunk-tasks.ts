import { Inject, Injectable } from '@nestjs/common';
import type { common } from '@parlance/contracts';
import { DEFAULT_MODEL } from '@parlance/engines';
import { inSpan, isOutage, type Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { JobErasure } from '@parlance/stage';
import type { Task, TaskContext } from '@parlance/task-queue';
import { JobLedger } from '../jobs/job-ledger.js';
import { TRANSCRIPTION } from '../jobs/job-record.js';
import { ChunkCheckpoints } from './chunk-checkpoints.js';
import { ChunkMetrics } from './chunk-metrics.js';
import { describeChunkFailure, type ChunkTask } from './chunk-task.js';
import { ChunkTranscriber } from './chunk-transcriber.js';
import { PlanReader } from './plan-reader.js';

/** Transcribes chunks, each once; skips those of canceled and deleted jobs. */
@Injectable()
export class ChunkTasks {
  constructor(
    @Inject(JobLedger) private readonly ledger: JobLedger,
    @Inject(JobErasure) private readonly erasure: JobErasure,
    @Inject(PlanReader) private readonly plans: PlanReader,
    @Inject(ChunkTranscriber) private readonly transcriber: ChunkTranscriber,
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
    @Inject(ChunkMetrics) private readonly metrics: ChunkMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async perform({ payload: task, attempt }: Task<ChunkTask>, { signal }: Pick<TaskContext, 'signal'>): Promise<void> {
    if (attempt > 1) this.metrics.retried();
    try {
      await this.transcribe(task, attempt, signal);
    } catch (error) {
      // The process closes, or another worker has the lease.
      if (!signal.aborted) this.log.warn({ ...logFields(task), attempt, err: error }, 'chunk failed');
      throw error;
    } finally {
      await this.erasure.removeIfErased(task);
    }
  }

  /** Reports where in the media the job failed and why, unless the chunk is transcribed after all. A retry of the job adds the chunk again, so the task itself need not be kept. @throws an outage, so that the queue tries again */
  async giveUp(task: ChunkTask, error: unknown): Promise<'settled'> {
    const planned = await this.readPlanned(task);
    if (!planned || !(await this.checkpoints.reuse(task, planned.chunk))) await this.fail(task, describeChunkFailure(task, planned?.chunk, error));
    await this.erasure.removeIfErased(task);
    return 'settled';
  }

  /** @returns undefined when the plan cannot be read. @throws an outage: nothing is known then of a checkpoint by the same plan */
  private async readPlanned(task: ChunkTask) {
    try {
      return await this.plans.readChunk(task);
    } catch (error) {
      if (isOutage(error)) throw error;
      return undefined;
    }
  }

  private async fail(task: ChunkTask, failure: common.Failure): Promise<void> {
    this.metrics.failed(failure.code);
    if (await this.checkpoints.fail(task, failure)) await this.ledger.failRun(task);
  }

  private async transcribe(task: ChunkTask, attempt: number, signal: AbortSignal): Promise<void> {
    if (!(await this.ledger.begin(TRANSCRIPTION, task))) return;
    const { chunk, options, isLast } = await this.plans.readChunk(task);
    if (await this.checkpoints.reuse(task, chunk)) return;
    const model = options.model ?? DEFAULT_MODEL;
    this.log.debug({ ...logFields(task), attempt, model }, 'chunk begun');
    const attributes = { 'parlance.job_id': task.jobId, 'parlance.chunk': task.index, 'parlance.attempt': attempt };
    const result = await inSpan('transcribe chunk', { attributes }, async (span) => {
      const transcribed = await this.transcriber.transcribe(chunk, options, signal, { isLast });
      const { engine, audioSeconds, processingSeconds } = transcribed;
      span.set({ 'parlance.engine': engine, 'parlance.model': model, 'parlance.audio_seconds': audioSeconds, 'parlance.processing_seconds': processingSeconds });
      return transcribed;
    });
    signal.throwIfAborted();
    await this.checkpoints.save(task, chunk, result);

    this.metrics.transcribed({ ...result, model });
    const { engine, processingSeconds, audioSeconds, words } = result;
    this.log.info({ ...logFields(task), attempt, engine, model, processingSeconds, audioSeconds, words: words.length }, 'chunk transcribed');
  }
}

const logFields = ({ jobId, accountId, run, index, total }: ChunkTask) => ({
  job_id: jobId,
  account_id: accountId,
  run,
  chunk: index,
  chunks: total,
});
