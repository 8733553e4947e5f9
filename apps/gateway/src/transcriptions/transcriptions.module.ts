import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { AuditStoreModule } from '../audit/audit-store.module.js';
import { HttpModule } from '../http/http.module.js';
import { SealedHeaders } from '../http/sealed-headers.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { RequestWatches } from '../uploads/request-watches.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { VocabularyStoreModule } from '../vocabularies/vocabulary-store.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { AddOnOrders } from './add-on-orders.js';
import { Admission } from './admission.js';
import { CreationController } from './creation.controller.js';
import { Creation } from './creation.js';
import { ErasuresController } from './erasures.controller.js';
import { JobChanges } from './job-changes.js';
import { JobHeaders } from './job-headers.js';
import { JobMaker } from './job-maker.js';
import { JobRequests } from './job-requests.js';
import { JobsModule } from './jobs.module.js';
import { MediaKeysController } from './media-keys.controller.js';
import { ReceiptKeysController } from './receipt-keys.controller.js';
import { SealedResultsController } from './sealed-results.controller.js';
import { StoredUploadCreation } from './stored-upload-creation.js';
import { TranscriptionsController } from './transcriptions.controller.js';
import { UploadCreation } from './upload-creation.js';
import { UploadForms } from './upload-forms.js';

@Module({
  imports: [AccountStoreModule, AuditStoreModule, HttpModule, IdempotencyModule, JobsModule, KeysModule, UploadsModule, UsageModule, VocabularyStoreModule],
  controllers: [CreationController, TranscriptionsController, ErasuresController, MediaKeysController, ReceiptKeysController, SealedResultsController],
  providers: [AddOnOrders, Admission, Creation, JobChanges, JobHeaders, JobMaker, JobRequests, RequestWatches, SealedHeaders, StoredUploadCreation, UploadCreation, UploadForms],
  exports: [Admission, Creation, JobHeaders, JobMaker, JobRequests, StoredUploadCreation],
})
export class TranscriptionsModule {}
