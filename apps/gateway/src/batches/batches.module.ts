import { Module } from '@nestjs/common';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../transcriptions/transcriptions.module.js';
import { BatchIntake } from './batch-intake.js';
import { BatchProgress } from './batch-progress.js';
import { BatchStoreModule } from './batch-store.module.js';
import { BatchWorker } from './batch-worker.js';
import { BatchesController } from './batches.controller.js';

@Module({
  imports: [BatchStoreModule, JobsModule, TranscriptionsModule],
  controllers: [BatchesController],
  providers: [BatchIntake, BatchProgress, BatchWorker],
  exports: [BatchProgress, BatchWorker],
})
export class BatchesModule {}
