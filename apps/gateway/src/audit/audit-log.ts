import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppError, pause, TurnBatch, type Clock, type ConfigOf, type Logger } from '@parlance/platform';
import { CLOCK, CONFIG, DOCUMENTS, LOGGER } from '@parlance/runtime';
import type { DocumentDatabase, InsertOptions } from '@parlance/storage';
import { LRUCache } from 'lru-cache';
import { AuditChains } from './audit-chains.js';
import type { auditConfig } from './audit-config.js';
import type { AuditEntry } from './audit-record.js';

const RETRY_MS = 1000;
/** The time within which one attempt of an actor is recorded, however many there are. */
const ATTEMPT_MS = 1000;
const KNOWN_ACTORS = 10_000;
/** Entries that wait in memory. */
const MAX_PENDING = 10_000;

/** The audit log of the accounts. Entries of one turn of the event loop, and those that come while others are committed, are one write for each account. */
@Injectable()
export class AuditLog implements OnModuleDestroy {
  private readonly chains: AuditChains;
  private readonly batch: TurnBatch<AuditEntry, void>;
  private readonly pending = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  /** The actors of the last attempts. */
  private readonly attempted: LRUCache<string, true>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection' | 'flush'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) private readonly log: Pick<Logger, 'warn'>,
    @Inject(CONFIG) private readonly config: Pick<ConfigOf<typeof auditConfig>, 'AUDIT_LOG'>,
  ) {
    this.attempted = new LRUCache({ max: KNOWN_ACTORS, ttl: ATTEMPT_MS, ttlResolution: 0 });
    this.chains = new AuditChains(documents, clock);
    this.batch = new TurnBatch((accountId, entries) => this.chains.append(accountId, entries));
  }

  get isOn(): boolean {
    return this.config.AUDIT_LOG === 'on';
  }

  /**
   * Resolves once the entry is stored. While the disk is full, entries wait in memory until there is room, so that reads are answered
   * and deletions can make room. Nothing is recorded while the log is off. @throws AppError of the store, also when too many wait
   */
  async record(entry: AuditEntry, options: InsertOptions = {}): Promise<void> {
    if (!this.isOn) return;
    try {
      await this.append(entry);
      if (options.flush !== 'soon') await this.chains.flush();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'storage_full' || this.pending.size >= MAX_PENDING) throw error;
      this.appendSoon(entry);
    }
  }

  /** Stores the entry soon, and tries again until it is stored or this process ends. */
  appendSoon(entry: AuditEntry): void {
    const stored = this.appendAtLast(entry).finally(() => this.pending.delete(stored));
    this.pending.add(stored);
  }

  /** As `appendSoon`, at most one a second for each actor, and none while too many entries wait. */
  appendAttempt(entry: AuditEntry): void {
    const { accountId, actorId = '' } = entry;
    const actor = `${accountId} ${actorId}`;
    if (this.attempted.has(actor) || this.pending.size >= MAX_PENDING) return;
    this.attempted.set(actor, true);
    this.appendSoon(entry);
  }

  /** Each entry that is not stored yet gets one more try. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.pending);
  }

  private async appendAtLast(entry: AuditEntry): Promise<void> {
    for (let isReported = false; ; isReported = true) {
      const isLast = this.stopping.signal.aborted;
      try {
        return await this.append(entry);
      } catch (error) {
        if (!isReported) this.log.warn({ err: error, account_id: entry.accountId, request_id: entry.requestId }, 'an audit record could not be stored');
        if (isLast) return;
      }
      await pause(RETRY_MS, this.stopping.signal);
    }
  }

  /** Resolves once the death of the process does not remove the entry. @throws AppError of the store */
  private append(entry: AuditEntry): Promise<void> {
    return this.batch.add(entry.accountId, entry);
  }
}
