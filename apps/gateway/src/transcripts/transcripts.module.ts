import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { ReadingController } from './reading.controller.js';
import { TranscriptSender } from './transcript-sender.js';
import { TranscriptsController } from './transcripts.controller.js';

@Module({ imports: [HttpModule, JobsModule], controllers: [TranscriptsController, ReadingController], providers: [TranscriptSender], exports: [TranscriptSender] })
export class TranscriptsModule {}
