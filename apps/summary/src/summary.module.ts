import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ingest, transcription } from '@parlance/contracts';
import { JOB_SERVICE, servicePort, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import type { SummaryEngine } from './engine/summary-engine.js';
import { SUMMARY_ENGINE, summaryEngine } from './engine/summary-engine.provider.js';
import { SummaryController } from './grpc/summary.controller.js';
import { SpeakerChanges } from './speakers/speaker-changes.js';
import { LostOrders } from './summaries/lost-orders.js';
import { SummaryOrderWorker } from './summaries/summary-order-worker.js';
import { SummaryOrders } from './summaries/summary-orders.js';
import { SummaryConsumers } from './summary.consumers.js';
import { TranslationOrders } from './translations/translation-orders.js';
import { TranslationWork } from './translations/translation-work.js';
import { TranslationWorker } from './translations/translation-worker.js';
import { TranscriptSource } from './transcripts/transcript-source.js';
import { ChaptersWork } from './work/chapters-work.js';
import { EntitiesWork } from './work/entities-work.js';
import { HighlightsWork } from './work/highlights-work.js';
import { StageStarts } from './work/stage-starts.js';
import { SummaryHoldings } from './work/summary-holdings.js';
import { SummaryLedger } from './work/summary-ledger.js';
import { SummaryStages } from './work/summary-stages.js';
import { SummaryWork } from './work/summary-work.js';
import { WorkDocuments } from './work/work-documents.js';
import { WorkMetrics } from './work/work-metrics.js';
import { WorkStages } from './work/work-stages.js';

const PORTS = [
  summaryEngine,
  servicePort(JOB_SERVICE, 'ingest', ingest.JobServiceDefinition),
  servicePort(TRANSCRIPT_SERVICE, 'transcription', transcription.TranscriptServiceDefinition),
];
const WORK_PROVIDERS = [ChaptersWork, EntitiesWork, HighlightsWork, StageStarts, SummaryHoldings, SummaryLedger, SummaryStages, SummaryWork, WorkDocuments, WorkMetrics, WorkStages];

@Module({
  controllers: [SummaryController],
  providers: [...PORTS, ...WORK_PROVIDERS, LostOrders, SpeakerChanges, SummaryConsumers, SummaryOrders, SummaryOrderWorker, TranscriptSource, TranslationOrders, TranslationWork, TranslationWorker],
})
export class SummaryModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(SUMMARY_ENGINE) private readonly engine: SummaryEngine,
    @Inject(LostOrders) private readonly lostOrders: LostOrders,
  ) {}

  onApplicationBootstrap(): void {
    this.lostOrders.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.lostOrders.stop();
    await this.engine.close();
  }
}
