import { Module } from '@nestjs/common';
import { BatchStoreModule } from '../batches/batch-store.module.js';
import { HttpModule } from '../http/http.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { ExportArchive } from './export-archive.js';
import { ExportsController } from './exports.controller.js';

/** Transcripts of many jobs as one archive. */
@Module({ imports: [BatchStoreModule, HttpModule, JobsModule], controllers: [ExportsController], providers: [ExportArchive] })
export class ExportsModule {}
