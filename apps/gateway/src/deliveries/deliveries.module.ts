import { Module } from '@nestjs/common';
import { SealedHeaders } from '../http/sealed-headers.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { DeliveriesController } from './deliveries.controller.js';
import { EndpointsController } from './endpoints.controller.js';
import { RedeliveriesController } from './redeliveries.controller.js';

@Module({ imports: [JobsModule], controllers: [DeliveriesController, EndpointsController, RedeliveriesController], providers: [SealedHeaders] })
export class DeliveriesModule {}
