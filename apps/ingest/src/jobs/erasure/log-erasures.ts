import type { Consumer, EventBus, RetryPolicy } from '@parlance/event-bus';

/** Takes a deleted job's events and dead letters out of the bus, as far as the bus can; job.deleted says nothing about the job. */
export const logErasures = (bus: Pick<EventBus, 'erase'>, retry: RetryPolicy): Consumer => ({
  group: 'log-erasures',
  topic: 'parlance.jobs.v1',
  retry,
  handlers: { 'job.deleted': ({ event }) => bus.erase(event.key, { except: event.id }) },
});
