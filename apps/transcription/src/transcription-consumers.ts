import { DEFAULT_RETRY, type Consumer, type Follower } from '@parlance/event-bus';
import type { TranscriptionParts } from './transcription-parts.js';

/** The engine's own deadline strikes first; this one is for everything around it. */
const CHUNK_OVERHEAD_MS = 60_000;

/** Merging ten hours takes seconds; a slow disk may take longer. */
const MERGE_DEADLINE_MS = 10 * 60_000;

export const transcriptionConsumers = (parts: TranscriptionParts): Consumer[] => [
  chunkTasksConsumer(parts),
  chunkResultsConsumer(parts),
  mediaConsumer(parts),
  ...speakersConsumers(parts),
  jobsConsumer(parts),
];

/** Chunks are short, so an account that is alone has every place: another gets the next that is free. */
function chunkTasksConsumer({ config, chunkTasks, recognizer }: TranscriptionParts): Consumer {
  const places = config.CHUNK_CONCURRENCY ?? recognizer.info.parallelism;
  return {
    group: 'transcription',
    topic: 'parlance.chunk-tasks.v1',
    handlers: { 'chunk.requested': (delivery) => chunkTasks.handle(delivery) },
    turns: { places, share: places, deadlineMs: config.CHUNK_TIMEOUT_SECONDS * 1000 + CHUNK_OVERHEAD_MS },
    retry: { maxAttempts: config.CHUNK_MAX_ATTEMPTS, initialDelayMs: 500, maxDelayMs: 15_000 },
    giveUp: async (event, error) => {
      if (event.type === 'chunk.requested') await chunkTasks.giveUp(event.data, error);
    },
  };
}

const chunkResultsConsumer = ({ merger }: TranscriptionParts): Consumer => ({
  group: 'transcription-merge',
  topic: 'parlance.chunk-results.v1',
  handlers: { 'chunk.transcribed': ({ event }) => merger.mergeWhenComplete(event.data) },
  retry: DEFAULT_RETRY,
  deadlineMs: MERGE_DEADLINE_MS,
  giveUp: async (event, error) => {
    if (event.type === 'chunk.transcribed') await merger.giveUp(event.data, error);
  },
});

const mediaConsumer = ({ jobEvents, merger }: TranscriptionParts): Consumer => ({
  group: 'transcription-media',
  topic: 'parlance.media.v1',
  handlers: { 'media.ready': (delivery) => jobEvents.mediaReady(delivery) },
  deadlineMs: MERGE_DEADLINE_MS,
  giveUp: async (event, error) => {
    if (event.type === 'media.ready') await merger.giveUp(event.data, error);
  },
});

/** Apart from the merge: whatever happens here, the transcript is delivered. */
const speakersConsumers = ({ speakers }: TranscriptionParts): Consumer[] => [
  {
    group: 'transcription-speakers',
    topic: 'parlance.stages.v1',
    handlers: { 'diarization.completed': ({ event }) => speakers.turnsReady(event.data) },
    deadlineMs: MERGE_DEADLINE_MS,
    giveUp: async (event, error) => {
      if (event.type === 'diarization.completed') await speakers.giveUp(event.data, error);
    },
  },
  {
    group: 'transcription-speakers',
    topic: 'parlance.transcripts.v1',
    handlers: { 'transcript.completed': ({ event }) => speakers.assignWhenBothAreThere(event.data.jobId) },
    deadlineMs: MERGE_DEADLINE_MS,
    giveUp: async (event, error) => {
      if (event.type === 'transcript.completed') await speakers.giveUp(event.data, error);
    },
  },
];

const jobsConsumer = ({ jobEvents }: TranscriptionParts): Consumer => ({
  group: 'transcription-jobs',
  topic: 'parlance.jobs.v1',
  handlers: {
    'job.canceled': (delivery) => jobEvents.canceled(delivery),
    'job.deleted': (delivery) => jobEvents.deleted(delivery),
  },
});

export const transcriptionFollowers = ({ jobEvents }: TranscriptionParts): Follower[] => [
  {
    topic: 'parlance.jobs.v1',
    handlers: { 'job.canceled': (event) => jobEvents.stop(event), 'job.deleted': (event) => jobEvents.stop(event) },
  },
];
