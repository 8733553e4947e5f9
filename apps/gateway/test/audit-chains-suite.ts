import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import { AuditAnchors } from '../src/audit/audit-anchors.js';
import { AuditLog } from '../src/audit/audit-log.js';
import { AuditReader } from '../src/audit/audit-reader.js';
import { AuditRetention } from '../src/audit/audit-retention.js';
import { auditAnchorCollection, auditCollection, auditRecordId, type AuditEntry, type AuditRecord } from '../src/audit/audit-record.js';
import { verifyAudit } from '../src/audit/verify-audit.js';

interface Replicas extends AsyncDisposable {
  /** Connections of two gateways to the same database. */
  replicas: readonly [DocumentDatabase, DocumentDatabase];
}

const ACCOUNT = 'acc_1';
const DAY_MS = 24 * 60 * 60 * 1000;
const entry = (requestId: string, accountId = ACCOUNT): AuditEntry => ({ accountId, event: 'answered', action: 'getTranscript', actorType: 'key', actorId: 'key_1', resources: ['job_1'], status: 200, requestId });

/** The stored chains of the audit log, on any document store. */
export function describeAuditChains(name: string, connect: () => Promise<Replicas>): void {
  describe(`the audit log on ${name}`, () => {
    let shared: Replicas;
    let logs: AuditLog[];
    let documents: DocumentDatabase;
    beforeEach(async () => {
      shared = await connect();
      documents = shared.replicas[0];
      logs = shared.replicas.map((database) => new AuditLog(database, systemClock, silentLogger(), { AUDIT_LOG: 'on' }));
    });
    afterEach(async () => {
      await shared[Symbol.asyncDispose]();
    });

    const records = async (accountId = ACCOUNT): Promise<AuditRecord[]> => {
      const found: AuditRecord[] = [];
      for await (const record of new AuditReader(documents).all({ accountId })) found.push(record);
      return found;
    };
    const faults = async (options = {}) => (await verifyAudit(documents, systemClock, options)).faults.map(({ accountId, sequence }) => `${accountId} ${sequence}`);
    const append = async (count: number, accountId = ACCOUNT) => {
      for (let index = 0; index < count; index += 1) await logs[0]?.record(entry(`req_${index}`, accountId));
    };
    const change = (sequence: number, fields: object) => documents.collection(auditCollection).update(auditRecordId(ACCOUNT, sequence), (record) => record && { document: { ...record, ...fields } });
    /** As many days from now. */
    const retention = (days: number) => {
      const clock = { now: () => new Date(Date.now() + days * DAY_MS) };
      return new AuditRetention(documents, new AuditAnchors(documents, clock), clock, { AUDIT_RETENTION_DAYS: 365 }, silentLogger());
    };

    it('is one chain for each account, whatever several gateways append at once', async () => {
      const ids = Array.from({ length: 120 }, (_, index) => `req_${index}`);
      const accountOf = (index: number) => (index % 10 === 0 ? 'acc_2' : ACCOUNT);
      for (let turn = 0; turn < ids.length; turn += 20) await Promise.all(ids.slice(turn, turn + 20).map((id, index) => logs[index % 2]?.record(entry(id, accountOf(turn + index)))));
      const stored = await records();
      expect(stored.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 108 }, (_, index) => index + 1));
      expect([...stored, ...(await records('acc_2'))].map(({ requestId }) => requestId).toSorted()).toEqual(ids.toSorted());
      expect(await verifyAudit(documents, systemClock)).toMatchObject({ faults: [], accounts: [{ records: 108 }, { records: 12 }] });
    });

    it('has one attempt a second of an actor, however many there are', async () => {
      for (let attempt = 0; attempt < 5; attempt += 1) for (const actorId of ['key_1', 'key_2']) logs[0]?.appendAttempt({ ...entry(`req_${attempt}`), actorId });
      await logs[0]?.onModuleDestroy();
      expect((await records()).map(({ actorId }) => actorId).toSorted()).toEqual(['key_1', 'key_2']);
    });

    it('names the first record that was changed, removed, inserted or moved, of its account alone', async () => {
      await append(6);
      await append(2, 'acc_2');
      expect(await faults()).toEqual([]);
      const [, second, third] = await records();
      await change(3, { actorId: 'key_2' });
      expect([await faults(), await faults({ account: 'acc_2' })]).toEqual([['acc_1 3'], []]);
      await change(3, { actorId: 'key_1', createdAt: '2020-01-01T00:00:00.000Z' });
      expect(await faults()).toEqual(['acc_1 3']);
      await change(3, { createdAt: third?.createdAt });
      expect(await faults()).toEqual([]);
      const collection = documents.collection(auditCollection);
      await collection.insert({ ...(second as NonNullable<typeof second>), id: 'acc_1:x' });
      expect(await faults()).toHaveLength(1);
      await collection.remove('acc_1:x');
      await collection.remove(auditRecordId(ACCOUNT, 5));
      expect(await faults()).toEqual(['acc_1 6']);
    });

    it('shows by a head of before that its newest records were removed', async () => {
      await append(3);
      const [{ head } = { head: undefined }] = (await verifyAudit(documents, systemClock, { account: ACCOUNT })).accounts;
      await append(1);
      expect(await faults({ account: ACCOUNT, head })).toEqual([]);
      const collection = documents.collection(auditCollection);
      for (const sequence of [3, 4]) await collection.remove(auditRecordId(ACCOUNT, sequence));
      expect([await faults({ account: ACCOUNT }), await faults({ account: ACCOUNT, head })]).toEqual([[], ['acc_1 3']]);
    });

    it('loses its oldest records when their retention ends, and goes on from a signed anchor', async () => {
      await append(5);
      await retention(364).sweep();
      expect(await records()).toHaveLength(5);
      await retention(366).sweep();
      expect(await records()).toEqual([]);
      await append(2);
      expect((await records()).map(({ sequence }) => sequence)).toEqual([6, 7]);
      expect(await verifyAudit(documents, systemClock)).toMatchObject({ faults: [], accounts: [{ accountId: ACCOUNT, records: 2, removed: 5, head: { sequence: 7 } }] });
      const other = new AuditLog(shared.replicas[1], systemClock, silentLogger(), { AUDIT_LOG: 'on' });
      await other.record(entry('req_other'));
      expect((await records()).at(-1)).toMatchObject({ sequence: 8, requestId: 'req_other' });
    });

    it('takes no anchor that the installation has not signed for the account', async () => {
      await append(4);
      await retention(366).sweep();
      await append(2);
      const anchors = new AuditAnchors(documents, systemClock);
      const anchor = await anchors.of(ACCOUNT);
      const [, sixth] = await records();
      await documents.collection(auditCollection).remove(auditRecordId(ACCOUNT, 5));
      await documents.collection(auditAnchorCollection).update(ACCOUNT, (current) => current && { document: { ...current, sequence: 5, hash: sixth?.previousHash ?? '' } });
      expect([anchor?.sequence, await faults()]).toEqual([4, ['acc_1 5']]);
    });

    it('keeps the records of an account whose chain is broken, as evidence', async () => {
      await append(3);
      await change(2, { actorId: 'key_2' });
      await retention(366).sweep();
      expect(await records()).toHaveLength(3);
    });

    it('is whole when a removal was cut off behind its anchor', async () => {
      await append(5);
      const [, , third] = await records();
      await new AuditAnchors(documents, systemClock).move(ACCOUNT, third as NonNullable<typeof third>);
      await documents.collection(auditCollection).remove(auditRecordId(ACCOUNT, 1));
      expect(await faults()).toEqual([]);
      await retention(366).sweep();
      expect([await records(), await faults()]).toEqual([[], []]);
    });

    it('takes no record, instead of waiting for a place forever, when a record stands before its place', async () => {
      await append(2);
      await change(1, { createdAt: '2999-01-01T00:00:00.000Z' });
      const restarted = new AuditLog(documents, systemClock, silentLogger(), { AUDIT_LOG: 'on' });
      await expect(restarted.record(entry('req_late'))).rejects.toMatchObject({ code: 'service_unavailable', retryable: false });
      await change(1, { createdAt: '2020-01-01T00:00:00.000Z' });
      await restarted.record(entry('req_repaired'));
      expect((await records()).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    });

    it('reads on for a filter that few match, and says where it has stopped', async () => {
      await logs[0]?.record({ ...entry('req_first'), actorId: 'key_2' });
      await append(60);
      const reader = new AuditReader(documents);
      const filter = { accountId: ACCOUNT, actor: 'key_2' };
      expect((await reader.page(filter, { limit: 10 })).records.map(({ requestId }) => requestId)).toEqual(['req_first']);
      const first = await reader.page(filter, { limit: 1 });
      expect([first.records, typeof first.nextCursor]).toEqual([[], 'string']);
      expect(await reader.page(filter, { limit: 1, cursor: first.nextCursor ?? '' })).toMatchObject({ records: [{ requestId: 'req_first' }], nextCursor: null });
    });

    it('finds records by time, action, actor and resource', async () => {
      await append(2);
      await logs[0]?.record({ ...entry('req_b'), action: 'deleteTranscription', actorId: 'key_2', resources: ['job_12', 'lnk_1'] });
      const reader = new AuditReader(documents);
      const found = async (filter: object) => (await reader.page({ accountId: ACCOUNT, ...filter }, { limit: 10 })).records.map(({ requestId }) => requestId);
      expect(await found({})).toEqual(['req_b', 'req_1', 'req_0']);
      expect([await found({ action: 'deleteTranscription' }), await found({ actor: 'key_1' }), await found({ resource: 'lnk_1' }), await found({ resource: 'job_1' })]).toEqual([['req_b'], ['req_1', 'req_0'], ['req_b'], ['req_1', 'req_0']]);
      const soon = new Date(Date.now() + DAY_MS);
      expect([await found({ after: soon }), await found({ before: soon })]).toEqual([[], ['req_b', 'req_1', 'req_0']]);
    });
  });
}
