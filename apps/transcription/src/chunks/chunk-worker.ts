import { Inject, Injectable } from '@nestjs/common';
import { SpeechEngines, type SpeechEngine } from '@parlance/engines';
import { isFinalFailure } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { TaskWorker } from '@parlance/task-queue';
import type { TranscriptionConfig } from '../transcription.config.js';
import { chunkQueue, type ChunkTask } from './chunk-task.js';
import { ChunkTasks } from './chunk-tasks.js';

/** Milliseconds for the work around the engine, whose own deadline ends first. */
const CHUNK_OVERHEAD_MS = 60_000;

/** Works on the queues of chunks, one for each speech engine. */
@Injectable()
export class ChunkWorker {
  constructor(
    @Inject(CONFIG) private readonly config: TranscriptionConfig,
    @Inject(SpeechEngines) private readonly engines: SpeechEngines,
    @Inject(ChunkTasks) private readonly chunkTasks: ChunkTasks,
  ) {}

  workers(): TaskWorker<ChunkTask>[] {
    return this.engines.all().map((engine) => this.worker(engine));
  }

  private worker({ model, recognizer }: SpeechEngine): TaskWorker<ChunkTask> {
    const { CHUNK_CONCURRENCY, CHUNK_TIMEOUT_SECONDS, CHUNK_MAX_ATTEMPTS } = this.config;
    return {
      queue: chunkQueue(model),
      capacity: CHUNK_CONCURRENCY ?? recognizer.info.parallelism,
      // Audio in none of the expected languages is recognized a second time.
      deadlineMs: 2 * CHUNK_TIMEOUT_SECONDS * 1000 + CHUNK_OVERHEAD_MS,
      retry: { maxAttempts: CHUNK_MAX_ATTEMPTS, initialDelayMs: 500, maxDelayMs: 15_000 },
      isFinal: isFinalFailure,
      perform: (task, context) => this.chunkTasks.perform(task, context),
      giveUp: (task, error) => this.chunkTasks.giveUp(task.payload, error),
    };
  }
}
