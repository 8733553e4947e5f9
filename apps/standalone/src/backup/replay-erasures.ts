import { accountData } from '@parlance/contracts';
import { stampEvent, type Delivery } from '@parlance/event-bus';
import { Accounts } from '@parlance/gateway/operators';
import { AccountErasures, isErasedAccount, JobErasureLog, type Erased, type ErasedAccount } from '@parlance/ingest/operators';
import { systemClock, ulidGenerator } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import { withIdleServices, type IdleService } from './idle-services.js';

/**
 * Erases the jobs and accounts again that a backup brought back, in every service, while none of them runs: by the handlers of job.deleted
 * that erase when the product serves, so that nothing of an erased job is ever served or sent.
 * @returns how many were there
 */
export async function replayErasures(env: Record<string, string | undefined>, erased: readonly Erased[]): Promise<number> {
  let replayed = 0;
  await withIdleServices(env, async (services, _bus, media) => {
    const log = new JobErasureLog(named(services, 'ingest').documents, systemClock);
    for (const job of erased) {
      if (isErasedAccount(job)) continue;
      const event = await log.eraseAgain(job);
      if (!event) continue;
      const stamped = stampEvent(event, { clock: systemClock, ids: ulidGenerator(), source: 'ingest' });
      for (const service of services) await handled(service, stamped as Delivery<'job.deleted'>['event']);
      replayed += 1;
    }
    // After the jobs, whose erasure is that of the log.
    for (const account of erased.filter(isErasedAccount)) if (await eraseAccountAgain(services, media, account)) replayed += 1;
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

/** @returns false when the backup has no such account, or one that was made anew under its id */
async function eraseAccountAgain(services: readonly IdleService[], media: Pick<MediaStore, 'removePrefix'>, erased: ErasedAccount): Promise<boolean> {
  const { accountId, erasedAt } = erased;
  const accounts = accountsOf(services);
  const account = await accounts.get(accountId);
  if (!account || account.createdAt > erasedAt) return false;
  await named(services, 'ingest').app.get(AccountErasures).eraseAgain(erased);
  for (const { manifest, app } of services) {
    const served = manifest.serves?.(app).find(({ definition }) => definition === accountData.AccountDataServiceDefinition);
    await served?.methods['eraseAccountData']?.({ accountId }, {});
  }
  await media.removePrefix(`${accountId}/`);
  await accounts.remove(accountId);
  return true;
}

const accountsOf = (services: readonly IdleService[]): Accounts => named(services, 'gateway').app.get(Accounts);

function named(services: readonly IdleService[], name: string): IdleService {
  const service = services.find(({ manifest }) => manifest.name === name);
  if (!service) throw new Error(`${name} is not among the services`);
  return service;
}
