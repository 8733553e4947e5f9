import { Module } from '@nestjs/common';
import { AuditAnchors } from './audit-anchors.js';
import { AuditLog } from './audit-log.js';
import { AuditReader } from './audit-reader.js';
import { AuditRetention } from './audit-retention.js';

/** The records of requests. */
@Module({ providers: [AuditAnchors, AuditLog, AuditReader, AuditRetention], exports: [AuditAnchors, AuditLog, AuditReader, AuditRetention] })
export class AuditStoreModule {}
