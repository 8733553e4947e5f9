import type { CollectionDefinition, Document } from '@parlance/storage';

/** One request, before it is a link of the chain. It holds ids and never contents or texts of searches. */
export interface AuditEntry {
  accountId: string;
  /**
   * `requested`: a change was admitted and is now attempted. `answered`: the answer of a read or of a change is known. A change has
   * both, with one request id; a change without the second was interrupted.
   */
  event: 'requested' | 'answered';
  /** The id of the operation, or method and route where the route is no operation of ours. */
  action: string;
  /** `signup`: a person without a key, who gets one to a new account or by a code from its mailbox. */
  actorType: 'key' | 'token' | 'link' | 'operator' | 'signup';
  /** The id of the key, token or link. */
  actorId?: string;
  /** The key that created the token. */
  keyId?: string;
  /** The project that the key is bound to. */
  projectId?: string;
  /** Ids that the path of the request has, that it created, that a page shows, or that its handler named. */
  resources: string[];
  /** The HTTP status, or 101 for a WebSocket. */
  status?: number;
  /** The address of the client as the trusted proxies state it; absent for a command beside the servers. */
  address?: string;
  /** Its first characters. */
  userAgent?: string;
  requestId: string;
}

/** A link of an account's chain. `createdAt` never decreases along the chain, so that the order of time is the order of the chain. */
export interface AuditRecord extends AuditEntry, Document {
  /** 1 for the first record of an account, one more for each. */
  sequence: number;
  /** The hash of the record before; 64 zeros for the first. */
  previousHash: string;
  /** SHA-256 of the record without this, hexadecimal. */
  hash: string;
}

/** The place behind which the records of an account begin, because those up to it were removed at the end of their retention. The id is the account's. */
export interface AuditAnchor extends Document {
  sequence: number;
  hash: string;
  /** The same as a JWS. */
  jws: string;
}

/** One index alone, as every request writes to it: filters read the account's records in time order. */
export const auditCollection: CollectionDefinition<AuditRecord> = {
  name: 'audit_records',
  data: { what: 'who read or changed what: ids, time, address and program of the client', purpose: 'proof of access', kept: '`AUDIT_RETENTION_DAYS`, also when the job is deleted' },
  indexes: [{ fields: ['accountId'] }],
};

export const auditAnchorCollection: CollectionDefinition<AuditAnchor> = {
  name: 'audit_anchors',
  data: { what: 'the place at which the audit records of an account begin', purpose: 'to verify them after older ones were removed', kept: 'with the account' },
  indexes: [],
};

const SEQUENCE_DIGITS = 15;

/** The place of a record in its account's chain: two records cannot have the same. */
export const auditRecordId = (accountId: string, sequence: number): string => `${accountId}:${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`;
