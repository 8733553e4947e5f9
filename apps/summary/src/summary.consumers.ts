import { Inject, Injectable } from '@nestjs/common';
import type { Consumer } from '@parlance/event-bus';
import type { TaskWorker } from '@parlance/task-queue';
import { SpeakerChanges } from './speakers/speaker-changes.js';
import { SummaryOrderWorker } from './summaries/summary-order-worker.js';
import { SummaryOrders } from './summaries/summary-orders.js';
import { TranslationWorker } from './translations/translation-worker.js';
import { SummaryStages } from './work/summary-stages.js';

/** The events and tasks that the service works on. */
@Injectable()
export class SummaryConsumers {
  constructor(
    @Inject(SummaryStages) private readonly stages: SummaryStages,
    @Inject(SummaryOrders) private readonly orders: SummaryOrders,
    @Inject(SummaryOrderWorker) private readonly orderWorker: SummaryOrderWorker,
    @Inject(TranslationWorker) private readonly translationWorker: TranslationWorker,
    @Inject(SpeakerChanges) private readonly speakerChanges: SpeakerChanges,
  ) {}

  consumers(): Consumer[] {
    return this.stages.consumers({
      'transcript.speakers_changed': ({ event, signal }) => this.speakerChanges.changed(event.data, signal),
      'summary.requested': ({ event }) => this.orders.requested(event.data),
    });
  }

  workers(): TaskWorker[] {
    return [...this.stages.workers(), this.orderWorker.worker(), this.translationWorker.worker()];
  }
}
