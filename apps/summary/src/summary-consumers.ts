import type { Consumer, Follower, OutboxEvent } from '@parlance/event-bus';
import type { SummaryParts } from './summary-parts.js';

const GROUP = 'summary';
/** The work's own deadline strikes first; this one is for everything around it. */
const OVERHEAD_MS = 60_000;

export function summaryConsumers({ config, stages, orders, speakerChanges, erasures, running }: SummaryParts): Consumer[] {
  const patience = {
    group: GROUP,
    turns: { places: config.SUMMARY_CONCURRENCY, deadlineMs: config.SUMMARY_TIMEOUT_SECONDS * 1000 + OVERHEAD_MS },
    retry: { maxAttempts: config.SUMMARY_MAX_ATTEMPTS, initialDelayMs: 1000, maxDelayMs: 30_000 },
    giveUp: (event: OutboxEvent, error: unknown) => (event.type === 'summary.requested' ? orders.giveUp(event.data, error) : stages.giveUp(event, error)),
  };
  return [
    {
      ...patience,
      topic: 'parlance.transcripts.v1',
      handlers: {
        'transcript.completed': ({ event, signal }) => stages.transcriptCompleted(event.data, signal),
        'transcript.speakers_changed': ({ event, signal }) => speakerChanges.changed(event.data, signal),
      },
    },
    {
      ...patience,
      topic: 'parlance.stages.v1',
      handlers: {
        'stage.finished': ({ event, signal }) => stages.stageFinished(event.data, signal),
        'stage.requested': ({ event, signal }) => stages.requested(event.data, signal),
        'summary.requested': ({ event, signal }) => orders.perform(event.data, signal),
      },
    },
    {
      group: GROUP,
      topic: 'parlance.jobs.v1',
      handlers: {
        'job.deleted': async ({ event }) => {
          await erasures.erase(event.data);
          running.stop(event.data.jobId);
        },
      },
    },
  ];
}

/** In every process, at once: whatever runs for the job stops. */
export const summaryFollowers = ({ running }: SummaryParts): Follower[] => [
  {
    topic: 'parlance.jobs.v1',
    handlers: { 'job.canceled': ({ data }) => running.stop(data.jobId), 'job.deleted': ({ data }) => running.stop(data.jobId) },
  },
];
