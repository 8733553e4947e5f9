import { AppError, pause, type Clock } from '@parlance/platform';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { LRUCache } from 'lru-cache';
import { CHAIN_START, chained, type ChainHead } from './audit-chain.js';
import { auditAnchorCollection, auditCollection, type AuditAnchor, type AuditEntry, type AuditRecord } from './audit-record.js';

const KNOWN_HEADS = 10_000;
/** Records of one write. */
const MAX_TOGETHER = 500;
/** The maximum delay after another process was first; delays grow, so that writers of one chain get past each other. */
const MAX_DELAY_MS = 50;
/** Attempts in a row without a place in the chain. Other writers take places of a whole chain that often by no chance; a broken one gives none. */
const MAX_CONFLICTS = 200;

/** The stored chains of records, one for each account. Several processes append to one: a place in it is taken by an insert alone. */
export class AuditChains {
  private readonly records: DocumentCollection<AuditRecord>;
  private readonly anchors: DocumentCollection<AuditAnchor>;
  private readonly heads = new LRUCache<string, ChainHead>({ max: KNOWN_HEADS });

  constructor(
    private readonly documents: Pick<DocumentDatabase, 'collection' | 'flush'>,
    private readonly clock: Clock,
    private readonly random: () => number = Math.random,
  ) {
    this.records = documents.collection(auditCollection);
    this.anchors = documents.collection(auditAnchorCollection);
  }

  /**
   * Appends entries of one account, one call at a time. Once this resolves, the death of the process does not remove them; `flush` makes
   * them survive a power cut. Entries of a call that fails may be stored or not. @throws AppError of the store; service_unavailable when the
   * chain has no place for them
   */
  async append(accountId: string, entries: readonly AuditEntry[]): Promise<void> {
    for (let stored = 0, conflicts = 0; stored < entries.length; ) {
      const added = await this.appendSome(accountId, entries.slice(stored, stored + MAX_TOGETHER));
      stored += added;
      conflicts = added > 0 ? 0 : conflicts + 1;
      if (added > 0) continue;
      if (conflicts >= MAX_CONFLICTS) throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The audit log of the account takes no record. The operator can find the reason with parlance-admin audit verify.', retryable: false });
      await pause(Math.min(MAX_DELAY_MS, 2 ** conflicts) * this.random());
    }
  }

  /** Resolves once all that is appended survives a power cut, which it does after 100 ms by itself. @throws AppError of the store */
  flush(): Promise<void> {
    return this.documents.flush();
  }

  /** @returns how many are stored: fewer when another process has taken a place in the chain first */
  private async appendSome(accountId: string, entries: readonly AuditEntry[]): Promise<number> {
    const head = this.heads.get(accountId) ?? (await this.head(accountId));
    this.heads.delete(accountId);
    const records = chained(head, entries, this.clock.now().toISOString());
    const stored = await this.records.insertInOrder(records.map((document) => ({ document })), { flush: 'soon' });
    const last = records.at(-1);
    if (stored === records.length && last) this.heads.set(accountId, { sequence: last.sequence, hash: last.hash, createdAt: last.createdAt });
    return stored;
  }

  /** The newest record of the account, its anchor when all were removed, or the start. */
  private async head(accountId: string): Promise<ChainHead> {
    const { items: [newest] } = await this.records.find({ where: { accountId }, limit: 1 });
    return newest?.document ?? (await this.anchors.get(accountId))?.document ?? CHAIN_START;
  }
}
