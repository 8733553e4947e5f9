import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ulidGenerator } from '@parlance/platform';
import fc from 'fast-check';
import { StorageFolder } from '../../test/storage-folder.js';
import type { AcceptedJob } from '../transcriptions/job-schema.js';
import { fingerprint } from './fingerprint.js';
import type { IdempotencyRecord } from './idempotency-record.js';
import { Idempotency, type Claim } from './idempotency.js';

const HOUR = 3_600_000;

describe('the records of Idempotency-Keys', () => {
  let storage: StorageFolder;
  let idempotency: Idempotency;
  beforeEach(async () => {
    storage = await StorageFolder.open();
    idempotency = new Idempotency(storage.documents, storage.clock, ulidGenerator());
  });
  afterEach(() => storage[Symbol.asyncDispose]());

  const claim = async (key: string, print?: string): Promise<Claim> => {
    const begun = await idempotency.begin('acc_1', key, print);
    if (begun.kind !== 'claimed') throw new Error(`not claimed but ${begun.kind}`);
    return begun.claim;
  };
  const answer = (jobId: string): AcceptedJob => ({ job_id: jobId, status: 'queued', created_at: '', links: { self: '', events: '', transcript: '' } });

  it('let one request in, and give its answer to those that follow', async () => {
    const first = await claim('k', 'a');
    await expect(idempotency.begin('acc_1', 'k', 'a')).rejects.toMatchObject({ code: 'idempotency_in_flight', retryable: true });
    await idempotency.settle(first, answer(first.jobId));
    expect(await idempotency.begin('acc_1', 'k', 'a')).toMatchObject({ kind: 'replay', response: { job_id: first.jobId } });
    await expect(idempotency.begin('acc_1', 'k', 'b')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('are those of one account', async () => {
    const mine = await claim('k', 'a');
    await idempotency.settle(mine, answer(mine.jobId));
    expect(await idempotency.begin('acc_2', 'k', 'b')).toMatchObject({ kind: 'claimed' });
  });

  it('pass on what a killed process left, under the same job id, once its lease is over', async () => {
    const dead = await claim('k', 'a');
    storage.after(60_000);
    const heir = await claim('k', 'a');
    expect(heir).toMatchObject({ jobId: dead.jobId, takenOver: true });
    await expect(idempotency.renew(dead)).rejects.toMatchObject({ code: 'idempotency_in_flight' });
    await idempotency.settle(dead, answer('job_of_the_dead'));
    await idempotency.release(dead);
    await idempotency.settle(heir, answer(heir.jobId));
    expect(await idempotency.begin('acc_1', 'k', 'a')).toMatchObject({ kind: 'replay', response: { job_id: dead.jobId } });
  });

  it('keep a request that renews its lease, however long it takes', async () => {
    const upload = await claim('k');
    for (let minute = 0; minute < 30; minute++) {
      storage.after(20_000);
      await idempotency.renew(upload);
    }
    await expect(idempotency.begin('acc_1', 'k')).rejects.toMatchObject({ code: 'idempotency_in_flight' });
  });

  it('forget a request that was refused', async () => {
    await idempotency.release(await claim('k', 'a'));
    expect(await claim('k', 'b')).toMatchObject({ takenOver: false });
  });

  it('let the next request finish one whose outcome nobody knows', async () => {
    const first = await claim('k', 'a');
    await idempotency.suspend(first);
    await expect(idempotency.begin('acc_1', 'k', 'b')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(await claim('k', 'a')).toMatchObject({ jobId: first.jobId, takenOver: true });
  });

  it('are kept for 24 hours', async () => {
    const first = await claim('k', 'a');
    await idempotency.settle(first, answer(first.jobId));
    storage.after(23 * HOUR);
    await idempotency.sweep();
    expect(await idempotency.begin('acc_1', 'k', 'a')).toMatchObject({ kind: 'replay' });
    storage.after(HOUR);
    expect(await claim('k', 'b')).toMatchObject({ takenOver: false });
    storage.after(25 * HOUR);
    await idempotency.sweep();
    expect(await idempotency.count({ accountId: 'acc_1', jobId: first.jobId })).toBe(0);
  });

  it('are not forgotten while a call goes on for more than a day', async () => {
    const slow = await claim('k', 'a');
    storage.after(25 * HOUR);
    await idempotency.renew(slow);
    await idempotency.sweep();
    await expect(idempotency.begin('acc_1', 'k', 'a')).rejects.toMatchObject({ code: 'idempotency_in_flight' });
    await idempotency.settle(slow, answer(slow.jobId));
    expect(await idempotency.count({ accountId: 'acc_1', jobId: slow.jobId })).toBe(1);
  });

  it('keep of a deleted job only that the key was used, until its day is over', async () => {
    const first = await claim('k', 'a');
    await idempotency.settle(first, answer(first.jobId));
    await idempotency.erase({ accountId: 'acc_1', jobId: first.jobId });
    storage.after(23 * HOUR);
    await idempotency.sweep();
    await expect(idempotency.begin('acc_1', 'k', 'a')).rejects.toMatchObject({ code: 'invalid_state' });
    const kept = await storage.documents.collection<IdempotencyRecord>({ name: 'idempotency_records', indexes: [{ fields: ['jobId'] }, { fields: [] }] }).get(first.recordId);
    expect(kept?.document).toEqual({ id: first.recordId, createdAt: expect.any(String), accountId: 'acc_1', jobId: first.jobId, token: '', leaseUntil: kept?.document.createdAt, erased: true });
    storage.after(HOUR);
    expect((await claim('k', 'a')).jobId).not.toBe(first.jobId);
  });

  it('lose an answer that names a deleted job of the account, whether it was stored before the deletion or after it', async () => {
    const ask = (key: string) => idempotency.repeat({ accountId: 'acc_1', key, target: 'POST /chat', fingerprint: 'a', erasedWith: 'acc_1' });
    const claimed = async (key: string): Promise<Claim> => {
      const begun = await ask(key);
      if (begun.kind !== 'claimed') throw new Error(`not claimed but ${begun.kind}`);
      return begun.claim;
    };
    const answerAbout = (jobId: string) => ({ status: 200, headers: {}, body: JSON.stringify({ citations: [{ job_id: jobId }] }) });
    const nothingErased = async () => false;
    await idempotency.keep(await claimed('before'), answerAbout('job_gone'), nothingErased);
    await idempotency.keep(await claimed('other'), answerAbout('job_kept'), nothingErased);
    expect(await idempotency.count({ accountId: 'acc_1', jobId: 'job_gone' })).toBe(1);
    await idempotency.erase({ accountId: 'acc_1', jobId: 'job_gone' });
    await idempotency.keep(await claimed('after'), answerAbout('job_gone'), async (jobId) => jobId === 'job_gone');
    for (const key of ['before', 'after']) await expect(ask(key)).rejects.toMatchObject({ code: 'invalid_state', reason: 'job_erased' });
    expect(await ask('other')).toMatchObject({ kind: 'replay' });
  });

  it('let exactly one of many at once in, whichever of several gateways they come to', async () => {
    const gateways = [idempotency, new Idempotency(storage.documents, storage.clock, ulidGenerator())];
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => gateways[index % 2]?.begin('acc_1', 'k', 'a')));
    const [first, ...others] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' && outcome.value?.kind === 'claimed' ? [outcome.value.claim] : []));
    expect([first?.takenOver, others]).toEqual([false, []]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'idempotency_in_flight', retryable: true });
    // Another gateway knows the answer, and whether a request is another.
    if (first) await gateways[0]?.settle(first, answer(first.jobId));
    for (const gateway of gateways) {
      expect(await gateway.begin('acc_1', 'k', 'a')).toMatchObject({ kind: 'replay', response: { job_id: first?.jobId } });
      await expect(gateway.begin('acc_1', 'k', 'b')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    }
  });
});

describe('a fingerprint', () => {
  it('does not depend on the order of members', () => {
    const shuffled = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toReversed().map(([name, member]) => [name, shuffled(member)]))
        : value;
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(fingerprint(shuffled(value))).toBe(fingerprint(value))));
  });

  it('tells different values apart', () => {
    const tagged = fc.tuple(fc.jsonValue(), fc.jsonValue()).filter(([one, other]) => JSON.stringify(one) !== JSON.stringify(other));
    const sorted = (value: unknown) => JSON.stringify(value).split('').toSorted().join('');
    fc.assert(
      fc.property(tagged, ([one, other]) => {
        if (sorted(one) !== sorted(other)) expect(fingerprint(one)).not.toBe(fingerprint(other));
      }),
    );
    expect(fingerprint({ a: '1' })).not.toBe(fingerprint({ a: 1 }));
    expect(fingerprint(['a', 'b'])).not.toBe(fingerprint(['b', 'a']));
  });
});
