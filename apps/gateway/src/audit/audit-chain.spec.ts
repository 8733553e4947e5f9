import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { auditRecordJson, CHAIN_START, chained, ChainCheck, hashOfRecord } from './audit-chain.js';
import type { AuditEntry, AuditRecord } from './audit-record.js';

const TIME = '2026-11-27T09:30:00.000Z';
const entry = (index: number): AuditEntry => ({ accountId: 'acc_1', event: 'answered', action: 'getTranscript', actorType: 'key', actorId: 'key_1', resources: [`job_${index}`], status: 200, address: '192.0.2.1', userAgent: 'Grüße "x"', requestId: `req_${index}` });
const chainOf = (length: number, from = CHAIN_START): AuditRecord[] => chained(from, Array.from({ length }, (_, index) => entry(index)), TIME);

function faultOf(records: readonly AuditRecord[], check = new ChainCheck('acc_1')): number | undefined {
  for (const record of records) check.next(record);
  check.end();
  return check.fault?.sequence;
}

/** As somebody with access to the database can make it: the hash of the record alone is right. */
const rehashed = (record: AuditRecord): AuditRecord => ({ ...record, hash: hashOfRecord(record) });

describe('a chain of audit records', () => {
  it('hashes the canonical JSON of a record, so that anybody can check it', () => {
    const { hash, ...shown } = auditRecordJson(chainOf(1)[0] as AuditRecord);
    // By Python: json.dumps(record, sort_keys=True, separators=(',', ':'), ensure_ascii=False).
    const canonical = `{"account_id":"acc_1","action":"getTranscript","actor_id":"key_1","actor_type":"key","address":"192.0.2.1","event":"answered","previous_hash":"${'0'.repeat(64)}","request_id":"req_0","resources":["job_0"],"sequence":1,"status":200,"time":"${TIME}","user_agent":"Grüße \\"x\\""}`;
    expect(JSON.stringify(shown)).toBe(canonical);
    expect(Object.keys(shown)).toEqual(Object.keys(shown).toSorted());
    expect(hash).toBe(createHash('sha256').update(canonical).digest('hex'));
  });

  it('is whole when nothing was done to it, in one piece or appended to', () => {
    const first = chainOf(3);
    const then = chainOf(2, first[2]);
    expect(then.map(({ sequence }) => sequence)).toEqual([4, 5]);
    expect(faultOf([...first, ...then])).toBeUndefined();
  });

  it('never goes back in time, whatever the clocks of its writers say', () => {
    const [first] = chainOf(1);
    expect(chained(first as AuditRecord, [entry(1)], '2026-01-01T00:00:00.000Z')[0]?.createdAt).toBe(TIME);
  });

  it('shows any record that was changed, removed, inserted or exchanged, by the first that does not fit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(), fc.constantFrom('changed', 'rehashed', 'removed', 'inserted', 'exchanged'), (length, place, how) => {
        const records = chainOf(length);
        // The last one has no successor that would show its removal or a new hash: a head that is kept elsewhere does.
        const at = place % (length - 1);
        const [one, next] = [records[at] as AuditRecord, records[at + 1] as AuditRecord];
        if (how === 'changed') records[at] = { ...one, actorId: 'key_2' };
        if (how === 'rehashed') records[at] = rehashed({ ...one, actorId: 'key_2' });
        if (how === 'removed') records.splice(at, 1);
        if (how === 'inserted') records.splice(at + 1, 0, rehashed({ ...next, requestId: 'req_x' }));
        if (how === 'exchanged') records.splice(at, 2, next, one);
        expect(faultOf(records)).toBe(how === 'changed' ? at + 1 : at + 2);
      }),
    );
  });

  it('shows by a head that was kept elsewhere that the newest records were removed, or all were written anew', () => {
    const records = chainOf(5);
    const head = records[3] as AuditRecord;
    expect(faultOf(records, new ChainCheck('acc_1', CHAIN_START, head))).toBeUndefined();
    expect(faultOf(records.slice(0, 3), new ChainCheck('acc_1', CHAIN_START, head))).toBe(4);
    const anew = chained(CHAIN_START, Array.from({ length: 5 }, (_, index) => ({ ...entry(index), actorId: 'key_2' })), TIME);
    expect(faultOf(anew)).toBeUndefined();
    expect(faultOf(anew, new ChainCheck('acc_1', CHAIN_START, head))).toBe(4);
  });

  it('begins behind its anchor, or before it where a removal was cut off', () => {
    const records = chainOf(6);
    const anchor = records[2] as AuditRecord;
    const after = (from: number, all = records) => faultOf(all.slice(from), new ChainCheck('acc_1', anchor));
    expect([after(3), after(2), after(1), after(6)]).toEqual([undefined, undefined, undefined, undefined]);
    expect(after(4)).toBe(5);
    const other = chained(CHAIN_START, Array.from({ length: 3 }, () => entry(9)), TIME);
    expect(after(1, [...other, ...records.slice(3)])).toBe(3);
    expect(after(0, records.slice(0, 2))).toBe(2);
  });
});
