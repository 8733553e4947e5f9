import { Inject, Injectable } from '@nestjs/common';
import type { ConfigOf, Clock, Logger } from '@parlance/platform';
import { CLOCK, CONFIG, DOCUMENTS, LOGGER } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { AuditAnchors } from './audit-anchors.js';
import { ChainCheck, type ChainFault } from './audit-chain.js';
import type { auditConfig } from './audit-config.js';
import { auditCollection, type AuditRecord } from './audit-record.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Records that are read at once. */
const BATCH = 500;

/** Removes records whose retention is over, from the beginning of each chain. */
@Injectable()
export class AuditRetention {
  private readonly records: DocumentCollection<AuditRecord>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(AuditAnchors) private readonly anchors: AuditAnchors,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<ConfigOf<typeof auditConfig>, 'AUDIT_RETENTION_DAYS'>,
    @Inject(LOGGER) private readonly log: Pick<Logger, 'error'>,
  ) {
    this.records = documents.collection(auditCollection);
  }

  /** An account whose chain is broken keeps its records, as they are evidence. */
  async sweep(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - this.config.AUDIT_RETENTION_DAYS * DAY_MS).toISOString();
    const range = { field: 'createdAt', lt: before };
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.records.find({ range, direction: 'ascending', limit: BATCH, ...(cursor !== undefined && { cursor }) });
      const accounts = Map.groupBy(page.items.map(({ document }) => document), ({ accountId }) => accountId);
      for (const [accountId, records] of accounts) await this.remove(accountId, records);
      cursor = page.nextCursor;
    }
  }

  /** The anchor comes first: what a killed process did not remove is removed by the next round. */
  private async remove(accountId: string, records: readonly AuditRecord[]): Promise<void> {
    const check = new ChainCheck(accountId, await this.anchors.of(accountId));
    for (const record of records) check.next(record);
    if (check.fault) return this.report(check.fault);
    await this.anchors.move(accountId, check.head);
    // One after the other: a removal that is cut off leaves no gap before the anchor, which would be a broken chain.
    for (const { id } of records) await this.records.remove(id);
  }

  private report({ accountId, sequence, detail }: ChainFault): void {
    this.log.error({ account_id: accountId, sequence, detail }, 'the audit log of an account is not as it was written; its records are kept');
  }
}
