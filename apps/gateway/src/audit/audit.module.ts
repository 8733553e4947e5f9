import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { AuditController } from './audit.controller.js';
import { AuditStoreModule } from './audit-store.module.js';

/** `GET /audit`. */
@Module({ imports: [AuditStoreModule, HttpModule], controllers: [AuditController] })
export class AuditModule {}
