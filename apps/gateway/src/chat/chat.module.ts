import { Module } from '@nestjs/common';
import { HoldCheckModule } from '../holds/hold-check.js';
import { HttpModule } from '../http/http.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { ChatController } from './chat.controller.js';

@Module({ imports: [HoldCheckModule, HttpModule, JobsModule], controllers: [ChatController] })
export class ChatModule {}
