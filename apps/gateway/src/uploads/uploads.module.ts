import { Module } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, CONFIG, LOGGER, MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { uploadLimits, type GatewayConfig } from '../gateway.config.js';
import { AccountPlans } from '../plans/index.js';
import { UploadRecords } from './stored/upload-records.js';
import { StorageQuota } from './storage-quota.js';
import { StoredMedia } from './stored-media.js';
import { UploadLeases } from './upload-leases.js';
import { UploadStore } from './upload-store.js';

/** Files on their way into the media store, and the bytes that an account may have there. */
@Module({
  imports: [AccountStoreModule],
  providers: [
    UploadLeases,
    UploadRecords,
    {
      provide: UploadStore,
      useFactory: (media: MediaStore, leases: UploadLeases, config: GatewayConfig, log: Logger) => new UploadStore(media, leases, uploadLimits(config), log),
      inject: [MEDIA_STORE, UploadLeases, CONFIG, LOGGER],
    },
    { provide: StoredMedia, useFactory: (media: MediaStore, clock: Clock, uploads: UploadRecords) => new StoredMedia(media, clock, uploads), inject: [MEDIA_STORE, CLOCK, UploadRecords] },
    {
      provide: StorageQuota,
      useFactory: (stored: StoredMedia, plans: AccountPlans, config: GatewayConfig) => new StorageQuota(stored, plans, config.STORAGE_BYTES_PER_ACCOUNT),
      inject: [StoredMedia, AccountPlans, CONFIG],
    },
  ],
  exports: [UploadRecords, UploadStore, StorageQuota],
})
export class UploadsModule {}
