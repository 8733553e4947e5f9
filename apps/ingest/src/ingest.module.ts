import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { gateway, summary, transcription } from '@parlance/contracts';
import type { Egress } from '@parlance/egress';
import type { SileroVoiceActivityDetector } from '@parlance/engines';
import { ACCOUNT_SERVICE, SERVICE_CONTEXT, servicePort, SUMMARY_SERVICE, TRANSCRIPT_SERVICE, type ServiceContext } from '@parlance/runtime';
import { AccountErasures } from './accounts/account-erasures.js';
import { AccountHolds } from './accounts/account-holds.js';
import { AccountWorkController } from './accounts/account-work.controller.js';
import { JobController } from './grpc/job.controller.js';
import { IngestConsumers } from './ingest.consumers.js';
import { Admission } from './jobs/admission/admission.js';
import { ErasureReceipts } from './jobs/erasure/erasure-receipts.js';
import { ErasureReports } from './jobs/erasure/erasure-reports.js';
import { ErasureStore } from './jobs/erasure/erasure-store.js';
import { JobEraser } from './jobs/erasure/job-eraser.js';
import { JobLifecycle } from './jobs/job-lifecycle.js';
import { jobObserver, JobQueueMetrics } from './jobs/job-metrics.js';
import { JobRequests } from './jobs/job-requests.js';
import { LiveAudio } from './jobs/live-audio.js';
import { LiveRequests } from './jobs/live-requests.js';
import { ActiveLimit } from './jobs/schedule/active-limit.js';
import { IngestQueues } from './jobs/schedule/ingest-queues.js';
import { Scheduler } from './jobs/schedule/scheduler.js';
import { StageReports } from './jobs/stage-reports.js';
import { JobStore } from './jobs/state/job-store.js';
import { AwakeTime } from './jobs/upkeep/awake-time.js';
import { ErasureUpkeep } from './jobs/upkeep/erasure-upkeep.js';
import { ExpiredMedia } from './jobs/upkeep/expired-media.js';
import { MediaKeyUpkeep } from './jobs/upkeep/media-key-upkeep.js';
import { ReportUpkeep } from './jobs/upkeep/report-upkeep.js';
import { RetentionUpkeep } from './jobs/upkeep/retention-upkeep.js';
import { ScheduleUpkeep } from './jobs/upkeep/schedule-upkeep.js';
import { Upkeep } from './jobs/upkeep/upkeep.js';
import type { OpenedMediaDecoder } from './media/decoder/open-media-decoder.js';
import { EngineLimit } from './media/intake/engine-limit.js';
import { FreeTime } from './media/intake/free-time.js';
import { IngestAttempts } from './media/intake/ingest-attempts.js';
import { IngestSteps } from './media/intake/ingest-steps.js';
import { IngestWorkers } from './media/intake/ingest-workers.js';
import { MediaIntake } from './media/intake/media-intake.js';
import { RedactionStep } from './media/intake/redaction-step.js';
import { StorageLeft } from './media/intake/storage-left.js';
import { JobMedia } from './media/job-media.js';
import { LiveRecording } from './media/live/live-recording.js';
import { SealedUploads } from './media/sealed/sealed-uploads.js';
import { JobResults } from './sealing/job-results.js';
import { SealedResults } from './sealing/sealed-results.js';
import { SealingWorker } from './sealing/sealing-worker.js';
import { EGRESS, MEDIA_DECODER, mediaProviders, VOICE_ACTIVITY } from './media/media.providers.js';

const PORTS = [
  servicePort(ACCOUNT_SERVICE, 'gateway', gateway.AccountServiceDefinition),
  servicePort(SUMMARY_SERVICE, 'summary', summary.SummaryServiceDefinition),
  servicePort(TRANSCRIPT_SERVICE, 'transcription', transcription.TranscriptServiceDefinition),
];
const JOB_PROVIDERS = [ActiveLimit, Admission, ErasureReceipts, ErasureReports, ErasureStore, IngestQueues, JobEraser, JobLifecycle, jobObserver, JobQueueMetrics, JobRequests, JobStore, LiveAudio, LiveRequests, Scheduler, StageReports];
const ACCOUNT_PROVIDERS = [AccountErasures, AccountHolds];
const UPKEEP_PROVIDERS = [AwakeTime, ErasureUpkeep, ExpiredMedia, MediaKeyUpkeep, ReportUpkeep, RetentionUpkeep, ScheduleUpkeep, Upkeep];
const MEDIA_PROVIDERS = [...mediaProviders, EngineLimit, FreeTime, IngestAttempts, IngestSteps, IngestWorkers, JobMedia, LiveRecording, MediaIntake, RedactionStep, SealedUploads, StorageLeft];
const SEALING_PROVIDERS = [JobResults, SealedResults, SealingWorker];

@Module({
  controllers: [AccountWorkController, JobController],
  providers: [...PORTS, ...ACCOUNT_PROVIDERS, ...JOB_PROVIDERS, ...UPKEEP_PROVIDERS, ...MEDIA_PROVIDERS, ...SEALING_PROVIDERS, IngestConsumers],
})
export class IngestModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(Upkeep) private readonly upkeep: Upkeep,
    @Inject(EGRESS) private readonly egress: Egress,
    @Inject(MEDIA_DECODER) private readonly mediaDecoder: OpenedMediaDecoder,
    @Inject(VOICE_ACTIVITY) private readonly voiceActivity: SileroVoiceActivityDetector,
    @Inject(SERVICE_CONTEXT) private readonly context: Pick<ServiceContext, 'afterUncleanStop'>,
  ) {}

  onApplicationBootstrap(): void {
    this.upkeep.start(this.context);
  }

  async onModuleDestroy(): Promise<void> {
    await this.upkeep.close();
    await this.egress.close();
    this.mediaDecoder.close();
    await this.voiceActivity.close();
  }
}
