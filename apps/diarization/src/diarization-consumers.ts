import type { Consumer, Follower, GivenUp, OutboxEvent } from '@parlance/event-bus';
import type { DiarizationParts } from './diarization-parts.js';

/** The engine's own deadline strikes first; this one is for everything around it. */
const OVERHEAD_MS = 60_000;

export function diarizationConsumers({ config, task, jobEvents }: DiarizationParts): Consumer[] {
  const group = 'diarization';
  const work = {
    group,
    turns: { places: config.DIARIZATION_CONCURRENCY, deadlineMs: config.DIARIZATION_TIMEOUT_MINUTES * 60_000 + OVERHEAD_MS },
    retry: { maxAttempts: config.DIARIZATION_MAX_ATTEMPTS, initialDelayMs: 500, maxDelayMs: 15_000 },
    giveUp: async ({ type, data }: OutboxEvent, error: unknown): Promise<GivenUp> => {
      if ((type === 'media.ready' || type === 'stage.requested') && (await task.giveUp(keyOf(data), error))) return 'settled';
    },
  };
  return [
    {
      ...work,
      topic: 'parlance.media.v1',
      handlers: { 'media.ready': (delivery) => jobEvents.mediaReady(delivery) },
    },
    {
      ...work,
      topic: 'parlance.stages.v1',
      handlers: { 'stage.requested': (delivery) => jobEvents.stageRequested(delivery) },
    },
    {
      group,
      topic: 'parlance.jobs.v1',
      handlers: { 'job.canceled': (delivery) => jobEvents.canceled(delivery), 'job.deleted': (delivery) => jobEvents.deleted(delivery) },
    },
  ];
}

export function diarizationFollowers({ jobEvents }: DiarizationParts): Follower[] {
  const stop = (event: Parameters<typeof jobEvents.stop>[0]) => jobEvents.stop(event);
  return [{ topic: 'parlance.jobs.v1', handlers: { 'job.canceled': stop, 'job.failed': stop, 'job.deleted': stop } }];
}

const keyOf = ({ jobId, accountId, run }: { jobId: string; accountId: string; run: number }) => ({ jobId, accountId, run });
