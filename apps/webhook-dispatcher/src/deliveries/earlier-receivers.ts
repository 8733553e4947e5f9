import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';
import { RECEIVERS, removeIfBare, type Receiver } from './circuit-breaker.js';
import { DeliveryQueue } from './delivery-queue.js';

/**
 * Adds the tasks of receivers that a version without the task queue has stored: it kept `dueAt` in the document of the receiver,
 * and leased it there. Can be removed when upgrades from such a version are no longer supported.
 */
@Injectable()
export class EarlierReceivers {
  private readonly receivers: DocumentCollection<Receiver>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.receivers = documents.collection(RECEIVERS);
  }

  async takeOver(): Promise<void> {
    for await (const stored of this.receivers.all({ orderBy: 'dueAt', direction: 'ascending' })) await this.takeOverOne(stored);
  }

  private async takeOverOne({ document, version }: Stored<Receiver>): Promise<void> {
    const { dueAt = '', leased, ...rest } = document;
    if (leased && dueAt > this.clock.now().toISOString()) return;
    await this.queue.wake([document.id], new Date(dueAt));
    const changed = await this.receivers.replaceIf(rest, version);
    if (changed) await removeIfBare(this.receivers, changed);
  }
}
