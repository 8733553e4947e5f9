import type { Clock } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import { AuditAnchors } from './audit-anchors.js';
import { ChainCheck, type ChainFault, type ChainHead } from './audit-chain.js';
import { auditCollection, type AuditAnchor } from './audit-record.js';

export interface AuditReport {
  accounts: CheckedAccount[];
  /** The first of each account. */
  faults: ChainFault[];
}

interface CheckedAccount {
  accountId: string;
  /** Records that were checked. */
  records: number;
  /** Records before them, removed at the end of their retention. */
  removed: number;
  /** The last record. Kept elsewhere, it shows later whether the chain still leads over it. */
  head: Pick<ChainHead, 'sequence' | 'hash'>;
}

interface VerifyOptions {
  /** Only of this account. */
  account?: string | undefined;
  /** A record that the chain of the account must have. */
  head?: Pick<ChainHead, 'sequence' | 'hash'> | undefined;
}

/** Checks the chain of each account, beside the running servers: a fault counts when a second look finds it too, as records may come and go meanwhile. */
export async function verifyAudit(documents: DocumentDatabase, clock: Clock, options: VerifyOptions = {}): Promise<AuditReport> {
  const first = await checkChains(documents, clock, options);
  if (first.faults.length === 0) return first;
  const second = await checkChains(documents, clock, options);
  return { ...second, faults: second.faults.filter(({ accountId, sequence }) => first.faults.some((fault) => fault.accountId === accountId && fault.sequence === sequence)) };
}

async function checkChains(documents: DocumentDatabase, clock: Clock, { account, head }: VerifyOptions): Promise<AuditReport> {
  const anchors = new AuditAnchors(documents, clock);
  const faults: ChainFault[] = [];
  const checks = new Map<string, ChainCheck>();
  const add = (accountId: string, anchor?: AuditAnchor) => {
    const check = new ChainCheck(accountId, anchor, head);
    checks.set(accountId, check);
    return check;
  };
  for await (const { document: anchor } of anchors.all()) {
    if (account !== undefined && anchor.id !== account) continue;
    add(anchor.id, anchor);
    if (!(await anchors.isSigned(anchor))) faults.push({ accountId: anchor.id, sequence: anchor.sequence, detail: 'the anchor is not signed by this installation' });
  }
  const query = { ...(account !== undefined && { where: { accountId: account } }), direction: 'ascending' as const };
  for await (const { document } of documents.collection(auditCollection).all(query)) (checks.get(document.accountId) ?? add(document.accountId)).next(document);
  if (account !== undefined && !checks.has(account)) add(account);
  for (const check of checks.values()) {
    check.end();
    if (check.fault && !faults.some(({ accountId }) => accountId === check.accountId)) faults.push(check.fault);
  }
  const sorted = [...checks.values()].toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1));
  const accounts = sorted.map(({ accountId, records, anchor, head: last }) => ({ accountId, records, removed: anchor.sequence, head: { sequence: last.sequence, hash: last.hash } }));
  return { accounts, faults };
}
