import { Module } from '@nestjs/common';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { SummariesController } from './summaries.controller.js';

@Module({ imports: [JobsModule], controllers: [SummariesController] })
export class SummariesModule {}
