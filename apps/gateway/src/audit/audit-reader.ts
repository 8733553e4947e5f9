import { Inject, Injectable } from '@nestjs/common';
import { DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase, Page, Query } from '@parlance/storage';
import { auditCollection, type AuditRecord } from './audit-record.js';

/** Which records of an account are read. */
export interface AuditFilter {
  accountId: string;
  after?: Date | undefined;
  before?: Date | undefined;
  action?: string | undefined;
  /** The id of a key, token or link. */
  actor?: string | undefined;
  resource?: string | undefined;
}

interface AuditPage {
  records: AuditRecord[];
  nextCursor: string | null;
}

/** Pages of records that one call reads for a filter, so that a rare match costs no call more than some milliseconds at a time. */
const MAX_PAGES = 50;

@Injectable()
export class AuditReader {
  private readonly records: DocumentCollection<AuditRecord>;

  constructor(@Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>) {
    this.records = documents.collection(auditCollection);
  }

  /**
   * Newest first. With a filter, a page has those that match of the first page of records in which one does, or none after many
   * pages: then the next call continues. @throws AppError invalid_cursor
   */
  async page(filter: AuditFilter, { limit, cursor: from }: { limit: number; cursor?: string | undefined }): Promise<AuditPage> {
    const query = { ...queryOf(filter), limit };
    let cursor = from;
    for (let pages = 1; ; pages += 1) {
      const found: Page<AuditRecord> = await this.records.find({ ...query, ...(cursor !== undefined && { cursor }) });
      const records = found.items.map(({ document }) => document).filter((record) => matches(record, filter));
      cursor = found.nextCursor ?? undefined;
      if (cursor === undefined || records.length > 0 || pages === MAX_PAGES) return { records, nextCursor: found.nextCursor };
    }
  }

  /** Oldest first. */
  async *all(filter: AuditFilter): AsyncGenerator<AuditRecord> {
    for await (const { document } of this.records.all({ ...queryOf(filter), direction: 'ascending' })) if (matches(document, filter)) yield document;
  }
}

function queryOf({ accountId, after, before }: AuditFilter): Pick<Query, 'where' | 'range'> {
  const bounds = { ...(after && { gte: after.toISOString() }), ...(before && { lt: before.toISOString() }) };
  return { where: { accountId }, ...((after ?? before) && { range: { field: 'createdAt', ...bounds } }) };
}

const matches = ({ action, actorId, resources }: AuditRecord, filter: AuditFilter): boolean =>
  (filter.action === undefined || filter.action === action) && (filter.actor === undefined || filter.actor === actorId) && (filter.resource === undefined || resources.includes(filter.resource));
