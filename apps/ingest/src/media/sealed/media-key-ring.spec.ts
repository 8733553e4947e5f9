import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { DocumentKeyRecords, MEDIA_KEYS_OWNER, openDocumentDatabase, WrappedDataKeys, type DataKeys, type DocumentDatabase, type KeyProvider } from '@parlance/storage';
import { mediaKeyPairs } from './media-key-pair.js';
import { MediaKeyRing } from './media-key-ring.js';

const DAY_MS = 24 * 60 * 60_000;

/** Wraps nothing: what is tested is which keys there are. */
const provider: KeyProvider = {
  wrap: async (key) => key.toString('base64'),
  unwrap: async (wrapped) => Buffer.from(wrapped, 'base64'),
  isNewest: async () => true,
  rotate: async () => {},
  describe: () => 'none',
};

describe('the keys that clients encrypt recordings to', () => {
  let folder: string;
  let documents: DocumentDatabase;
  let keys: DataKeys;
  let now: Date;
  const clock = { ...systemClock, now: () => now };
  beforeEach(async () => {
    now = new Date('2026-11-27T08:00:00.000Z');
    folder = await mkdtemp(join(tmpdir(), 'parlance-media-keys-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'ingest.db')}`, { clock, ids: ulidGenerator(), source: 'ingest' });
    keys = new WrappedDataKeys({ records: new DocumentKeyRecords(documents, clock), provider, clock });
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const ring = (secret?: string) => new MediaKeyRing({ documents, keys, clock, settings: { MEDIA_KEY_DAYS: 30, MEDIA_KEY_ACCEPTED_HOURS: 48, MEDIA_KEY_SECRET: secret } });
  const later = (days: number) => (now = new Date(now.getTime() + days * DAY_MS));
  const ids = async () => (await ring().offered()).map(({ id }) => id);

  it('begin with one, which stays the same over restarts and in several processes', async () => {
    const [first, second] = await Promise.all([ring().offered(), ring().offered()]);
    expect(first).toEqual([{ id: 'mk_1', recipient: expect.stringMatching(/^age1[0-9a-z]{58}$/), createdAt: now, acceptedUntil: new Date('2026-12-29T08:00:00.000Z') }]);
    expect([second, await ring().offered()]).toEqual([first, first]);
  });

  it('are replaced when they are old, and are accepted for some time after that', async () => {
    await ring().offered();
    expect(await ring().isRotationDue()).toBe(false);
    later(30);
    expect(await ring().isRotationDue()).toBe(true);
    await Promise.all([ring().rotate(), ring().rotate()]);
    expect(await ids()).toEqual(['mk_2', 'mk_1']);
    expect((await ring().offered())[1]?.acceptedUntil).toEqual(new Date(now.getTime() + 2 * DAY_MS));
    later(1.9);
    expect(await ids()).toEqual(['mk_2', 'mk_1']);
    later(0.1);
    expect(await ids()).toEqual(['mk_2']);
    expect((await ring().ended()).map(({ pair }) => pair.id)).toEqual(['mk_1']);
  });

  it('are never old where they are offered, also when no upkeep ran for long', async () => {
    await ring().offered();
    later(90);
    expect(await ids()).toEqual(['mk_2', 'mk_1']);
  });

  it('open what a job brought in time, and tell it from what came late', async () => {
    await ring().offered();
    const [created, ended] = [now, later(3)];
    await ring().rotate();
    const counts = async (createdAt: Date) => {
      const { accepted, retired } = await ring().identities(createdAt);
      return [accepted.length, retired.length];
    };
    expect([await counts(created), await counts(new Date(ended.getTime() + 3 * DAY_MS))]).toEqual([[2, 0], [1, 1]]);
  });

  it('are destroyed for good: neither the document nor the number brings one back', async () => {
    await ring().offered();
    await ring().rotate();
    const [newest, oldest] = await ring().all();
    await ring().destroy(oldest!);
    await expect(keys.find(MEDIA_KEYS_OWNER, 'mk_1')).rejects.toThrow(expect.objectContaining({ code: 'key_destroyed' }));
    expect((await ring().identities(now)).accepted).toHaveLength(1);
    await ring().destroy(newest!);
    expect(await ids()).toEqual(['mk_3']);
  });

  it('are not offered when a backup brought back no more than the document of one', async () => {
    await ring().offered();
    await keys.destroy(MEDIA_KEYS_OWNER, 'mk_1');
    expect(await ids()).toEqual(['mk_2']);
    expect((await ring().identities(now)).accepted).toHaveLength(1);
  });

  it('are of no use without the secret of ingest, whatever else a process may read', async () => {
    const [secret, other] = [3, 4].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    await ring(secret).offered();
    expect((await ring(secret).identities(now)).accepted).toHaveLength(1);
    for (const wrong of [undefined, other]) {
      await expect(ring(wrong).identities(now)).rejects.toThrow(expect.objectContaining({ code: 'keys_unavailable', retryable: true }));
      await expect(ring(wrong).offered()).rejects.toThrow(expect.objectContaining({ code: 'keys_unavailable' }));
    }
  });

  it('are not offered when somebody put another recipient into the database', async () => {
    await ring().offered();
    const pairs = documents.collection(mediaKeyPairs);
    await pairs.update('mk_1', (pair) => pair && { document: { ...pair, recipient: `age1${'q'.repeat(58)}` } });
    await expect(ring().offered()).rejects.toThrow(expect.objectContaining({ code: 'keys_unavailable' }));
  });

  it('are not there without a key provider, which the error says', async () => {
    const without = new MediaKeyRing({ documents, keys: undefined, clock, settings: { MEDIA_KEY_DAYS: 30, MEDIA_KEY_ACCEPTED_HOURS: 48 } });
    await expect(without.offered()).rejects.toThrow(expect.objectContaining({ code: 'not_supported' }));
    expect(await without.identities(now)).toEqual({ accepted: [], retired: [] });
  });
});
