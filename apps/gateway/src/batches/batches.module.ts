import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../transcriptions/transcriptions.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { BatchIntake } from './batch-intake.js';
import { BatchJobs } from './batch-jobs.js';
import { BatchProgress } from './batch-progress.js';
import { BatchStoreModule } from './batch-store.module.js';
import { BatchWorker } from './batch-worker.js';
import { BatchesController } from './batches.controller.js';

@Module({
  imports: [BatchStoreModule, JobsModule, KeysModule, TranscriptionsModule, UploadsModule],
  controllers: [BatchesController],
  providers: [BatchIntake, BatchJobs, BatchProgress, BatchWorker],
  exports: [BatchProgress, BatchWorker],
})
export class BatchesModule {}
