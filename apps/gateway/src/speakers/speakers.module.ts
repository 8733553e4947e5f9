import { Module } from '@nestjs/common';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { SpeakersController } from './speakers.controller.js';

@Module({ imports: [JobsModule], controllers: [SpeakersController] })
export class SpeakersModule {}
