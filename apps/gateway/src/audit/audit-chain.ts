import { hash } from 'node:crypto';
import { present } from '../http/schema.js';
import { auditRecordId, type AuditEntry, type AuditRecord } from './audit-record.js';

/** The place in a chain that the next record follows. */
export interface ChainHead {
  sequence: number;
  hash: string;
  /** The time of the record at this place; absent when nothing is known of it. */
  createdAt?: string;
}

export const CHAIN_START: ChainHead = { sequence: 0, hash: '0'.repeat(64) };

/**
 * The record as callers see it, without its hash. The members stand in the order of RFC 8785 (JSON Canonicalization Scheme) and
 * their values are strings, integers and a list of strings, so that `JSON.stringify` gives the canonical form.
 */
function unhashedJson({ accountId, action, actorId, actorType, address, event, keyId, previousHash, projectId, requestId, resources, sequence, status, createdAt, userAgent }: Omit<AuditRecord, 'hash'>) {
  return present({
    account_id: accountId,
    action,
    actor_id: actorId,
    actor_type: actorType,
    address,
    event,
    key_id: keyId,
    previous_hash: previousHash,
    project_id: projectId,
    request_id: requestId,
    resources,
    sequence,
    status,
    time: createdAt,
    user_agent: userAgent,
  });
}

/** SHA-256 of the record's canonical form without `hash`, hexadecimal. */
export const hashOfRecord = (record: Omit<AuditRecord, 'hash'>): string => hash('sha256', JSON.stringify(unhashedJson(record)), 'hex');

/** The record as callers see it. Anybody can compute `hash` again from the other members. */
export const auditRecordJson = (record: AuditRecord) => ({ ...unhashedJson(record), hash: record.hash });

/** The entries as the records that follow `head`. @param now RFC 3339; a clock that is behind the last record does not put them before it */
export function chained(head: ChainHead, entries: readonly AuditEntry[], now: string): AuditRecord[] {
  const createdAt = head.createdAt !== undefined && head.createdAt > now ? head.createdAt : now;
  const records: AuditRecord[] = [];
  let { sequence, hash: previousHash } = head;
  for (const entry of entries) {
    sequence += 1;
    const unhashed = { ...entry, id: auditRecordId(entry.accountId, sequence), createdAt, sequence, previousHash };
    previousHash = hashOfRecord(unhashed);
    records.push({ ...unhashed, hash: previousHash });
  }
  return records;
}

export interface ChainFault {
  accountId: string;
  /** The sequence of the first record that does not fit. */
  sequence: number;
  detail: string;
}

/** Checks the records of one account in the order of their times. After a fault nothing more is checked: what follows cannot be right. */
export class ChainCheck {
  records = 0;
  head: ChainHead;
  fault: ChainFault | undefined;

  /**
   * @param anchor the place behind which the records of the account begin
   * @param known a place that the chain is known to have
   */
  constructor(
    readonly accountId: string,
    readonly anchor: Pick<ChainHead, 'sequence' | 'hash'> = CHAIN_START,
    private readonly known?: Pick<ChainHead, 'sequence' | 'hash'>,
  ) {
    this.head = { sequence: anchor.sequence, hash: anchor.hash };
  }

  next(record: AuditRecord): void {
    if (this.fault) return;
    const { sequence, previousHash } = record;
    // A removal that was cut off leaves records before the anchor, which must lead to it.
    if (this.records === 0 && sequence <= this.anchor.sequence) this.head = { sequence: sequence - 1, hash: previousHash };
    const detail = this.faultOf(record);
    if (detail !== undefined) this.fault = { accountId: this.accountId, sequence, detail };
    this.head = record;
    this.records += 1;
  }

  /** After the last record. */
  end(): void {
    const { sequence } = this.head;
    if (this.fault) return;
    if (sequence < this.anchor.sequence) this.fault = { accountId: this.accountId, sequence, detail: 'does not lead to the anchor, before which records were removed' };
    else if (this.known && sequence < this.known.sequence) this.fault = { accountId: this.accountId, sequence: sequence + 1, detail: `removed, with all up to ${this.known.sequence}` };
  }

  private faultOf(record: AuditRecord): string | undefined {
    const { sequence, previousHash, createdAt } = record;
    const expected = this.head.sequence + 1;
    if (sequence > expected) return `${sequence - expected} record${sequence - expected === 1 ? '' : 's'} before it removed or moved`;
    if (sequence < expected || record.id !== auditRecordId(this.accountId, sequence)) return 'inserted, or moved behind a later one';
    if (this.head.createdAt !== undefined && createdAt < this.head.createdAt) return 'older than the record before it';
    if (record.hash !== hashOfRecord(record)) return 'changed: its hash is not that of its contents';
    if (sequence === this.anchor.sequence && record.hash !== this.anchor.hash) return 'does not have the hash of the anchor';
    if (sequence === this.known?.sequence && record.hash !== this.known.hash) return 'does not have the known hash: it was written anew';
    if (previousHash !== this.head.hash) return 'does not follow the record before it, which was changed or exchanged';
    return undefined;
  }
}
