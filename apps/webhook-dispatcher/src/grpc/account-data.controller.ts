import { Controller, Inject } from '@nestjs/common';
import type { accountData, AccountDataService } from '@parlance/contracts';
import { DOCUMENTS } from '@parlance/runtime';
import type { DocumentDatabase } from '@parlance/storage';
import { CircuitBreaker } from '../deliveries/circuit-breaker.js';
import { DeliveryQueue } from '../deliveries/delivery-queue.js';
import { Redeliveries } from '../deliveries/redeliveries.js';

/** Counts and erases what the dispatcher holds of an account beside its jobs: endpoints, secrets, events and deliveries of no job. */
@Controller()
export class AccountDataController implements AccountDataService {
  constructor(
    @Inject(DOCUMENTS) private readonly documents: Pick<DocumentDatabase, 'ofAccounts'>,
    @Inject(CircuitBreaker) private readonly circuits: Pick<CircuitBreaker, 'removeOf'>,
    @Inject(Redeliveries) private readonly redeliveries: Pick<Redeliveries, 'removeOf'>,
    @Inject(DeliveryQueue) private readonly queue: Pick<DeliveryQueue, 'removeOf'>,
  ) {}

  async countAccountData({ accountId }: accountData.CountAccountDataRequest): Promise<accountData.CountAccountDataResponse> {
    return { held: [...(await this.documents.ofAccounts.count(accountId))].map(([what, count]) => ({ what, count })) };
  }

  async eraseAccountData({ accountId }: accountData.EraseAccountDataRequest): Promise<accountData.EraseAccountDataResponse> {
    await this.redeliveries.removeOf(accountId);
    await this.queue.removeOf(accountId);
    await this.documents.ofAccounts.remove(accountId);
    await this.circuits.removeOf(accountId);
    return {};
  }
}
