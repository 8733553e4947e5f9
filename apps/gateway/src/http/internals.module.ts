import { Module } from '@nestjs/common';
import { InternalsController } from './internals.controller.js';

/** Imported where the process has no port of its own for metrics and the state of servers. */
@Module({ controllers: [InternalsController] })
export class InternalsModule {}
