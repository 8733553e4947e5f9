import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module.js';
import { LiveStoreModule } from '../live/session/live-store.module.js';
import { AccountExports } from './account-exports.js';
import { AccountExportsController } from './account-exports.controller.js';
import { ExportArchiveStore } from './export-archive-store.js';
import { ExportSections } from './export-sections.js';
import { ExportWorker } from './export-worker.js';
import { InternalApi } from './internal-api.js';

/** Everything of an account as one archive. */
@Module({
  imports: [KeysModule, LiveStoreModule],
  controllers: [AccountExportsController],
  providers: [AccountExports, ExportArchiveStore, ExportSections, ExportWorker, InternalApi],
  exports: [AccountExports, ExportWorker],
})
export class AccountExportsModule {}
