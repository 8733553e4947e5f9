import { stampEvent, type Delivery } from '@parlance/event-bus';
import { JobErasureLog, type ErasedJob } from '@parlance/ingest/operators';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { withIdleServices, type IdleService } from './idle-services.js';

/**
 * Erases the jobs again that a backup brought back, in every service, while none of them runs: by the handlers of job.deleted
 * that erase when the product serves, so that nothing of an erased job is ever served or sent.
 * @returns how many were there
 */
export async function replayErasures(env: Record<string, string | undefined>, erased: readonly ErasedJob[]): Promise<number> {
  let replayed = 0;
  await withIdleServices(env, async (services) => {
    const ingest = services.find(({ manifest }) => manifest.name === 'ingest');
    if (!ingest) throw new Error('ingest is not among the services');
    const log = new JobErasureLog(ingest.documents, systemClock);
    for (const job of erased) {
      const event = await log.eraseAgain(job);
      if (!event) continue;
      const stamped = stampEvent(event, { clock: systemClock, ids: ulidGenerator(), source: 'ingest' });
      for (const service of services) await handled(service, stamped as Delivery<'job.deleted'>['event']);
      replayed += 1;
    }
  });
  return replayed;
}

/** As the bus would deliver it. It delivers it again once the product runs: every handler takes that. */
async function handled({ manifest, app }: IdleService, event: Delivery<'job.deleted'>['event']): Promise<void> {
  const { signal } = new AbortController();
  for (const { topic, handlers } of manifest.consumers(app)) {
    if (topic === 'parlance.jobs.v1') await handlers['job.deleted']?.({ event, attempt: 1, maxAttempts: 1, signal, draining: signal });
  }
}
