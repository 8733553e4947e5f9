import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../../accounts/account-store.module.js';
import { HttpModule } from '../../http/http.module.js';
import { KeysModule } from '../../keys/keys.module.js';
import { RequestWatches } from '../request-watches.js';
import { UploadsModule } from '../uploads.module.js';
import { UploadIntake } from './upload-intake.js';
import { DirectUploads } from './direct-uploads.js';
import { TusUploads } from './tus-uploads.js';
import { UploadLocks } from './upload-locks.js';
import { UploadsController } from './uploads.controller.js';

/** Files that callers upload before they create jobs from them. */
@Module({
  imports: [AccountStoreModule, HttpModule, KeysModule, UploadsModule],
  controllers: [UploadsController],
  providers: [DirectUploads, RequestWatches, TusUploads, UploadIntake, UploadLocks],
  exports: [UploadIntake],
})
export class StoredUploadsModule {}
