import { Module } from '@nestjs/common';
import { BatchRecords } from './batch-records.js';

/** The records alone, for the erasure of jobs. */
@Module({ providers: [BatchRecords], exports: [BatchRecords] })
export class BatchStoreModule {}
