import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { EventStreamsController } from './event-streams.controller.js';

@Module({ imports: [HttpModule, JobsModule], controllers: [EventStreamsController] })
export class EventStreamsModule {}
