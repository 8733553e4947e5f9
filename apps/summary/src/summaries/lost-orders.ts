import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { WorkDocuments } from '../work/work-documents.js';
import { SummaryOrders } from './summary-orders.js';

const INTERVAL_MS = 60_000;

/** Milliseconds without a result after which a summary is put into the task queue again. With the interval, this is within 5 minutes. */
const QUIET_MS = 3 * 60_000;

/**
 * Puts ordered summaries that have no result into the task queue again, as their event or task may be lost. A task that is there
 * is not added twice. Each process of the service does this, which does no harm.
 */
@Injectable()
export class LostOrders {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();

  constructor(
    @Inject(WorkDocuments) private readonly documents: WorkDocuments,
    @Inject(SummaryOrders) private readonly orders: SummaryOrders,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => (this.round = this.round.then(() => this.attempt())), INTERVAL_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  async addAgain(): Promise<void> {
    const lt = new Date(this.clock.now().getTime() - QUIET_MS).toISOString();
    for (const status of ['pending', 'running'] as const) {
      for await (const { document } of this.documents.summaries.all({ where: { status }, range: { field: 'createdAt', lt } })) {
        const { id: summaryId, jobId, accountId, isDefault } = document;
        // The summary of the stage is requested again by ingest.
        if (!isDefault) await this.orders.requested({ summaryId, jobId, accountId });
      }
    }
  }

  private async attempt(): Promise<void> {
    try {
      await this.addAgain();
    } catch (error) {
      this.log.warn({ err: error }, 'ordered summaries could not be looked through; the next round tries again');
    }
  }
}
