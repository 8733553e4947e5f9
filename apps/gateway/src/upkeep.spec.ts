import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { JobService } from '@parlance/contracts';
import { silentLogger } from '@parlance/platform';
import type { Idempotency } from './idempotency/idempotency.js';
import type { KeyUses } from './keys/key-uses.js';
import { Upkeep } from './upkeep.js';
import type { UploadStore } from './uploads/upload-store.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('skips the rounds of the upkeep that would begin while one runs, and ends that one before its next step when it is closed', async () => {
  const { promise: isSwept, resolve: sweep } = Promise.withResolvers<void>();
  const seen: string[] = [];
  const nothing = { sweep: async () => {} };
  const slow = { sweep: async () => (seen.push('begun'), await isSwept, void seen.push('ended')) };
  const later = { sweep: async () => void seen.push('next step') };
  const keyUses = { store: async () => {} };
  const upkeep = new Upkeep(nothing as Idempotency, nothing as unknown as UploadStore, keyUses as KeyUses, [slow, later], {} as JobService, silentLogger());
  upkeep.start();
  await jest.advanceTimersByTimeAsync(200_000);
  const closing = upkeep.close().then(() => seen.push('closed'));
  sweep();
  await closing;
  expect(seen).toEqual(['begun', 'ended', 'closed']);
});
