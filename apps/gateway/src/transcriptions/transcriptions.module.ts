import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { HttpModule } from '../http/http.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { Admission } from './admission.js';
import { AudioHeaders } from './audio-headers.js';
import { Creation } from './creation.js';
import { JobMaker } from './job-maker.js';
import { JobsModule } from './jobs.module.js';
import { StoredUploadCreation } from './stored-upload-creation.js';
import { TranscriptionsController } from './transcriptions.controller.js';
import { UploadCreation } from './upload-creation.js';
import { UploadForms } from './upload-forms.js';

@Module({
  imports: [AccountStoreModule, HttpModule, IdempotencyModule, JobsModule, KeysModule, UploadsModule, UsageModule],
  controllers: [TranscriptionsController],
  providers: [Admission, AudioHeaders, Creation, JobMaker, StoredUploadCreation, UploadCreation, UploadForms],
  exports: [Admission, AudioHeaders, Creation, StoredUploadCreation],
})
export class TranscriptionsModule {}
