import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_RETRY, type Consumer } from '@parlance/event-bus';
import { TASK_QUEUE } from '@parlance/runtime';
import { JobEnds } from '@parlance/stage';
import type { TaskQueue, TaskWorker } from '@parlance/task-queue';
import { chunkQueue, chunkTask } from './chunks/chunk-task.js';
import { ChunkWorker } from './chunks/chunk-worker.js';
import { InterruptedEdits } from './editing/interrupted-edits.js';
import { JobEvents } from './jobs/job-events.js';
import { SpeakerAssigner } from './transcript/speaker-assigner.js';
import { TranscriptMerger } from './transcript/transcript-merger.js';

/** Merging ten hours takes seconds; a slow disk may take longer. */
const MERGE_DEADLINE_MS = 10 * 60_000;

/** The events and tasks that the service works on. */
@Injectable()
export class TranscriptionConsumers {
  constructor(
    @Inject(TASK_QUEUE) private readonly tasks: TaskQueue,
    @Inject(ChunkWorker) private readonly chunks: ChunkWorker,
    @Inject(JobEvents) private readonly jobEvents: JobEvents,
    @Inject(TranscriptMerger) private readonly merger: TranscriptMerger,
    @Inject(SpeakerAssigner) private readonly speakers: SpeakerAssigner,
    @Inject(InterruptedEdits) private readonly interruptedEdits: InterruptedEdits,
    @Inject(JobEnds) private readonly jobEnds: JobEnds,
  ) {}

  consumers(): Consumer[] {
    return [this.chunkRequests(), this.chunkResults(), this.media(), this.turns(), this.transcripts(), this.jobs()];
  }

  workers(): TaskWorker[] {
    return [...(this.chunks.workers() as TaskWorker[]), ...this.jobEnds.workers()];
  }

  /** An ingest of the version before requests chunks one by one; their ids are those of the tasks that `media.ready` adds. */
  private chunkRequests(): Consumer {
    return {
      group: 'transcription',
      topic: 'parlance.chunk-tasks.v1',
      handlers: { 'chunk.requested': async ({ event }) => void (await this.tasks.add(chunkQueue(), [chunkTask(event.data)])) },
    };
  }

  private chunkResults(): Consumer {
    return {
      group: 'transcription-merge',
      topic: 'parlance.chunk-results.v1',
      handlers: { 'chunk.transcribed': ({ event }) => this.merger.mergeWhenComplete(event.data) },
      retry: DEFAULT_RETRY,
      deadlineMs: MERGE_DEADLINE_MS,
      giveUp: async (event, error) => {
        if (event.type === 'chunk.transcribed') await this.merger.giveUp(event.data, error);
      },
    };
  }

  private media(): Consumer {
    return {
      group: 'transcription-media',
      topic: 'parlance.media.v1',
      handlers: { 'media.ready': (delivery) => this.jobEvents.mediaReady(delivery) },
      deadlineMs: MERGE_DEADLINE_MS,
      giveUp: async (event, error) => {
        if (event.type === 'media.ready') await this.merger.giveUp(event.data, error);
      },
    };
  }

  /** Apart from the merge: whatever happens here, the transcript is delivered. */
  private turns(): Consumer {
    return {
      group: 'transcription-speakers',
      topic: 'parlance.stages.v1',
      handlers: { 'diarization.completed': ({ event }) => this.speakers.turnsReady(event.data) },
      deadlineMs: MERGE_DEADLINE_MS,
      giveUp: async (event, error) => {
        if (event.type === 'diarization.completed') await this.speakers.giveUp(event.data, error);
      },
    };
  }

  private transcripts(): Consumer {
    return {
      group: 'transcription-speakers',
      topic: 'parlance.transcripts.v1',
      handlers: {
        'transcript.completed': ({ event }) => this.speakers.assignWhenBothAreThere(event.data),
        'transcript.edited': ({ event }) => this.interruptedEdits.sweep(event.data.jobId),
      },
      deadlineMs: MERGE_DEADLINE_MS,
      giveUp: async (event, error) => {
        if (event.type === 'transcript.completed') await this.speakers.giveUp(event.data, error);
      },
    };
  }

  private jobs(): Consumer {
    return { group: 'transcription-jobs', topic: 'parlance.jobs.v1', handlers: this.jobEnds.handlers() };
  }
}
