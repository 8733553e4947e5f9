import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { compactVerify, createLocalJWKSet } from 'jose';
import type { Erasure } from './erasure.js';
import { ErasureReceipts } from './erasure-receipts.js';

const COMPLETE: Erasure = {
  id: 'era_1',
  createdAt: '2026-11-26T10:00:00.000Z',
  accountId: 'acc_1',
  jobId: 'job_1',
  items: [{ what: 'data_key', where: 'ingest', when: '2026-11-26T10:00:01.000Z', count: 1 }],
  completedAt: '2026-11-26T10:00:02.000Z',
};

describe('the receipt of an erasure', () => {
  let folder: string;
  let documents: DocumentDatabase;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-receipts-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'ingest' });
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });
  const receipts = () => new ErasureReceipts(documents, systemClock);

  it('is signed once it is complete, and verified with the published key alone', async () => {
    const { completedAt: _, ...pending } = COMPLETE;
    expect(await receipts().sign(pending)).toBeUndefined();
    const jws = (await receipts().sign(COMPLETE)) ?? '';
    const keys = await receipts().publicKeys();
    expect(keys).toEqual([{ kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: expect.any(String), alg: 'EdDSA', use: 'sig' }]);
    const { payload } = await compactVerify(jws, createLocalJWKSet({ keys }));
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({
      erasure_id: 'era_1',
      job_id: 'job_1',
      account_id: 'acc_1',
      status: 'completed',
      requested_at: COMPLETE.createdAt,
      completed_at: COMPLETE.completedAt,
      items: COMPLETE.items,
    });
  });

  it('does not verify when a byte of it was changed', async () => {
    const [header, payload = '', signature] = ((await receipts().sign(COMPLETE)) ?? '').split('.');
    const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('job_1', 'job_2')).toString('base64url');
    const keySet = createLocalJWKSet({ keys: await receipts().publicKeys() });
    await expect(compactVerify([header, forged, signature].join('.'), keySet)).rejects.toThrow(/signature verification failed/);
  });

  it('has one signature, by whatever process and whenever it is read: processes that start at once make one key', async () => {
    const signed = await Promise.all(Array.from({ length: 5 }, () => receipts().sign(COMPLETE)));
    expect(new Set([...signed, await receipts().sign(COMPLETE)]).size).toBe(1);
    expect(await receipts().publicKeys()).toHaveLength(1);
  });
});
