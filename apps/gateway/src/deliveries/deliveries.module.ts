import { Module } from '@nestjs/common';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { DeliveriesController } from './deliveries.controller.js';
import { EndpointsController } from './endpoints.controller.js';

@Module({ imports: [JobsModule], controllers: [DeliveriesController, EndpointsController] })
export class DeliveriesModule {}
