import { Inject, Injectable } from '@nestjs/common';
import { Periodic, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { WorkDocuments } from '../work/work-documents.js';
import { TranslationOrders } from '../translations/translation-orders.js';
import { SummaryOrders } from './summary-orders.js';

const INTERVAL_MS = 60_000;

/** Milliseconds without a result after which a summary is put into the task queue again. With the interval, this is within 5 minutes. */
const QUIET_MS = 3 * 60_000;

/**
 * Puts ordered summaries and translations that have no result into the task queue again, as their event or task may be lost. A task that is there
 * is not added twice. Each process of the service does this, which does no harm.
 */
@Injectable()
export class LostOrders {
  private readonly rounds: Periodic;

  constructor(
    @Inject(WorkDocuments) private readonly documents: WorkDocuments,
    @Inject(SummaryOrders) private readonly orders: SummaryOrders,
    @Inject(TranslationOrders) private readonly translations: TranslationOrders,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    this.rounds = new Periodic(INTERVAL_MS, (signal) => this.addAgain(signal), (err) => log.warn({ err }, 'ordered summaries could not be looked through; the next round tries again'));
  }

  start(): void {
    this.rounds.start();
  }

  async stop(): Promise<void> {
    await this.rounds.close();
  }

  async addAgain(signal?: AbortSignal): Promise<void> {
    const lt = new Date(this.clock.now().getTime() - QUIET_MS).toISOString();
    for (const status of ['pending', 'running'] as const) {
      for await (const { document } of this.documents.summaries.all({ where: { status }, range: { field: 'createdAt', lt } })) {
        signal?.throwIfAborted();
        const { id: summaryId, jobId, accountId, isDefault } = document;
        // The summary of the stage is requested again by ingest.
        if (!isDefault) await this.orders.requested({ summaryId, jobId, accountId });
      }
      for await (const { document } of this.documents.translations.all({ where: { status }, range: { field: 'createdAt', lt } })) {
        signal?.throwIfAborted();
        await this.translations.requested(document);
      }
    }
  }
}
