import { describe, expect, it } from '@jest/globals';
import type { Plan } from '../plans/index.js';
import { StorageQuota } from './storage-quota.js';
import { StoredMedia } from './stored-media.js';

const ACCOUNT = 'acc_1';
const exhausted = expect.objectContaining({ kind: 'payment_required', code: 'storage_quota_exhausted', retryable: false });

function storage(limits: Plan['limits'], byDefault = 1000) {
  const objects = new Map<string, number>();
  let now = 0;
  let listings = 0;
  const media = {
    async *list(prefix: string) {
      listings += 1;
      for (const [key, sizeBytes] of objects) if (key.startsWith(prefix)) yield { key, sizeBytes };
    },
  };
  const plans = { of: async (): Promise<Plan> => ({ name: 'free', freeSeconds: 0, billing: 'stop', limits }) };
  const stored = new StoredMedia(media, { now: () => new Date(now) });
  return { objects, quota: new StorageQuota(stored, plans, byDefault), pass: (ms: number) => (now += ms), listings: () => listings };
}

describe('what an account may store', () => {
  it('is by its plan, else by the settings, and without a limit for who has none', async () => {
    expect(await storage({}).quota.of(ACCOUNT)).toEqual({ usedBytes: 0, limitBytes: 1000 });
    expect(await storage({ storageBytes: 5 }).quota.of(ACCOUNT)).toEqual({ usedBytes: 0, limitBytes: 5 });
    const { quota, objects, listings } = storage({ storageBytes: 0 });
    objects.set('acc_1/job_1/source', 1e12);
    expect(await quota.of(ACCOUNT)).toEqual({ usedBytes: 1e12, limitBytes: null });
    await expect(quota.require(ACCOUNT)).resolves.toBeUndefined();
    const hold = await quota.hold(ACCOUNT, 0);
    await expect(hold.charge(1e12)).resolves.toBeUndefined();
    expect(listings()).toBe(1);
  });

  it('counts the files of its jobs and nothing else', async () => {
    const { quota, objects } = storage({});
    objects.set('acc_1/job_1/source', 300).set('acc_1/job_1/audio/000000.pcm', 5000).set('acc_2/job_2/source', 5000).set('acc_1/job_3/source', 200);
    expect(await quota.leftOf(ACCOUNT)).toBe(500);
    await expect(quota.hold(ACCOUNT, 501)).rejects.toEqual(exhausted);
  });

  it('is held by uploads on their way, however many come at once, and is free again when they fail', async () => {
    const { quota } = storage({});
    await quota.leftOf(ACCOUNT);
    const uploads = await Promise.allSettled(Array.from({ length: 20 }, () => quota.hold(ACCOUNT, 300)));
    const held = uploads.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(held).toHaveLength(3);
    for (const hold of [...held, ...held]) hold.release();
    expect(await quota.leftOf(ACCOUNT)).toBe(1000);
  });

  it('is used at once by what was stored, and free for the next upload soon after a deletion', async () => {
    const { quota, objects, pass } = storage({});
    const hold = await quota.hold(ACCOUNT, 1000);
    objects.set('acc_1/job_1/source', 990);
    hold.keep(990);
    hold.release();
    await expect(quota.hold(ACCOUNT, 11)).rejects.toEqual(exhausted);
    objects.clear();
    pass(250);
    await expect(quota.hold(ACCOUNT, 1000)).resolves.toBeDefined();
  });

  it('is not listed anew for each of many refusals', async () => {
    const { quota, objects, listings } = storage({});
    objects.set('acc_1/job_1/source', 1000);
    for (let refused = 0; refused < 50; refused += 1) await expect(quota.require(ACCOUNT)).rejects.toEqual(exhausted);
    expect(listings()).toBe(1);
  });

  it('is used by an upload of unknown size as far as it has arrived, and up to what is left', async () => {
    const { quota } = storage({});
    const streamed = await quota.hold(ACCOUNT, 0);
    await streamed.charge(300);
    await expect(quota.require(ACCOUNT)).resolves.toBeUndefined();
    const known = await quota.hold(ACCOUNT, 700);
    await expect(streamed.charge(1)).rejects.toEqual(exhausted);
    known.release();
    await streamed.charge(700);
    await expect(quota.hold(ACCOUNT, 1)).rejects.toEqual(exhausted);
    streamed.release();
    await expect(quota.hold(ACCOUNT, 1000)).resolves.toBeDefined();
  });

  it('leaves the fetch of an accepted job what uploads of unknown size have only begun to use', async () => {
    const { quota } = storage({});
    await (await quota.hold(ACCOUNT, 0)).charge(1000);
    expect(await quota.leftOf(ACCOUNT)).toBe(1000);
    await expect(quota.require(ACCOUNT)).rejects.toEqual(exhausted);
  });

  it('counts a file once when it is stored, before its request ends', async () => {
    const { quota } = storage({});
    for (const size of [0, 400]) {
      const hold = await quota.hold(ACCOUNT, size);
      await hold.charge(400);
      hold.keep(400);
    }
    expect(await quota.of(ACCOUNT)).toMatchObject({ usedBytes: 800 });
    await expect(quota.hold(ACCOUNT, 200)).resolves.toBeDefined();
  });
});
