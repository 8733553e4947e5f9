import type { Consumer, Follower, GivenUp, OutboxEvent } from '@parlance/event-bus';
import { requestedRun } from './indexing/search-stage.js';
import type { SearchParts } from './search-parts.js';

const GROUP = 'search';
/** Transcripts in one process, of one account half of that. */
const INDEXED_AT_ONCE = 4;
/** Ten hours of talk take a minute with an engine over the network. */
const INDEXING_DEADLINE_MS = 10 * 60_000;

export function searchConsumers({ stage, erasures }: SearchParts): Consumer[] {
  const giveUp = async (event: OutboxEvent, error: unknown): Promise<GivenUp> => {
    const run = event.type === 'transcript.completed' ? event.data : event.type === 'stage.requested' && requestedRun(event.data);
    if (run && (await stage.giveUp(run, error))) return 'settled';
  };
  return [
    {
      group: GROUP,
      topic: 'parlance.transcripts.v1',
      turns: { places: INDEXED_AT_ONCE, deadlineMs: INDEXING_DEADLINE_MS },
      handlers: {
        'transcript.completed': ({ event, signal }) => stage.run(event.data, signal),
        'transcript.speakers_changed': ({ event, signal }) => stage.speakersChanged(event.data, signal),
      },
      giveUp,
    },
    {
      group: GROUP,
      topic: 'parlance.stages.v1',
      deadlineMs: INDEXING_DEADLINE_MS,
      handlers: {
        'stage.requested': async ({ event, signal }) => {
          const run = requestedRun(event.data);
          if (run) await stage.run(run, signal);
        },
      },
      giveUp,
    },
    {
      group: GROUP,
      topic: 'parlance.jobs.v1',
      handlers: {
        'job.canceled': ({ event }) => stage.canceled(event.data),
        'job.deleted': ({ event }) => erasures.erase(event.data),
      },
    },
  ];
}

export const searchFollowers = ({ stage }: SearchParts): Follower[] => [
  {
    topic: 'parlance.jobs.v1',
    handlers: { 'job.canceled': ({ data }) => stage.stop(data.jobId), 'job.deleted': ({ data }) => stage.stop(data.jobId) },
  },
];
