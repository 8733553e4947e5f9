import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, DOCUMENTS, LOGGER } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';
import { Periodic } from '../periodic.js';
import { RECEIVERS, removeIfBare, type Receiver } from './circuit-breaker.js';
import { DeliveryQueue } from './delivery-queue.js';

/** Processes of the version before may run beside this one during an upgrade. */
const EVERY_MS = 60_000;

/**
 * Adds the tasks of receivers that a version without the task queue has stored: it kept `dueAt` in the document of the receiver,
 * and leased it there. Can be removed when upgrades from such a version are no longer supported.
 */
@Injectable()
export class EarlierReceivers {
  readonly periodic: Periodic;
  private readonly receivers: DocumentCollection<Receiver>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(DeliveryQueue) private readonly queue: DeliveryQueue,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    this.receivers = documents.collection(RECEIVERS);
    this.periodic = new Periodic(EVERY_MS, () => this.takeOver(), (err) => log.warn({ err }, 'receivers of the version before were not all taken over; trying again in a minute'));
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
