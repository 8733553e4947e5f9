import { DEFAULT_RETRY, type Consumer, type Follower } from '@parlance/event-bus';
import type { TranscriptionParts } from './transcription-parts.js';

/** The engine's own deadline strikes first; this one is for everything around it. */
const CHUNK_OVERHEAD_MS = 60_000;

/** Merging ten hours takes seconds; a slow disk may take longer. */
const MERGE_DEADLINE_MS = 10 * 60_000;

export function transcriptionConsumers(parts: TranscriptionParts): Consumer[] {
  const { config, chunkTasks, merger, jobEvents, recognizer } = parts;
  return [
    {
      group: 'transcription',
      topic: 'parlance.chunk-tasks.v1',
      handlers: { 'chunk.requested': (delivery) => chunkTasks.handle(delivery) },
      concurrency: config.CHUNK_CONCURRENCY ?? recognizer.info.parallelism,
      retry: { maxAttempts: config.CHUNK_MAX_ATTEMPTS, initialDelayMs: 500, maxDelayMs: 15_000 },
      deadlineMs: config.CHUNK_TIMEOUT_SECONDS * 1000 + CHUNK_OVERHEAD_MS,
      giveUp: async (event, error) => {
        if (event.type === 'chunk.requested') await chunkTasks.giveUp(event.data, error);
      },
    },
    {
      group: 'transcription-merge',
      topic: 'parlance.chunk-results.v1',
      handlers: { 'chunk.transcribed': ({ event }) => merger.mergeWhenComplete(event.data) },
      retry: DEFAULT_RETRY,
      deadlineMs: MERGE_DEADLINE_MS,
      giveUp: async (event, error) => {
        if (event.type === 'chunk.transcribed') await merger.giveUp(event.data, error);
      },
    },
    {
      group: 'transcription-media',
      topic: 'parlance.media.v1',
      handlers: { 'media.ready': (delivery) => jobEvents.mediaReady(delivery) },
      deadlineMs: MERGE_DEADLINE_MS,
      giveUp: async (event, error) => {
        if (event.type === 'media.ready') await merger.giveUp(event.data, error);
      },
    },
    {
      group: 'transcription-jobs',
      topic: 'parlance.jobs.v1',
      handlers: {
        'job.canceled': (delivery) => jobEvents.canceled(delivery),
        'job.deleted': (delivery) => jobEvents.deleted(delivery),
      },
    },
  ];
}

export const transcriptionFollowers = ({ jobEvents }: TranscriptionParts): Follower[] => [
  {
    topic: 'parlance.jobs.v1',
    handlers: { 'job.canceled': (event) => jobEvents.stop(event), 'job.deleted': (event) => jobEvents.stop(event) },
  },
];
