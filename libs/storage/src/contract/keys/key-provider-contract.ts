import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newKey } from '../../keys/aead.js';
import type { KeyProvider } from '../../keys/provider/key-provider.js';

interface KeyProviderUnderTest {
  provider: KeyProvider;
  /** Opens a provider of the same master key anew, as another process has it. */
  connect(): Promise<KeyProvider>;
  /** Opens a provider of another master key. */
  other(): Promise<KeyProvider>;
  dispose(): Promise<void>;
}

/** What every adapter of KeyProvider keeps to. @param rotates false for a test server that has no versions of keys */
export function describeKeyProviderContract(name: string, open: () => Promise<KeyProviderUnderTest>, { rotates = true } = {}): void {
  describe(name, () => {
    let underTest: KeyProviderUnderTest;
    beforeEach(async () => {
      underTest = await open();
    });
    afterEach(() => underTest.dispose());

    const refusal = expect.objectContaining({ kind: 'unavailable', code: 'keys_unavailable', retryable: false });

    it('unwraps what it wrapped, in every process', async () => {
      const key = newKey();
      const wrapped = await underTest.provider.wrap(key, 'account/acc_1');
      expect(await underTest.provider.unwrap(wrapped, 'account/acc_1')).toEqual(key);
      expect(await (await underTest.connect()).unwrap(wrapped, 'account/acc_1')).toEqual(key);
    });

    it('shows nothing of the key, and wraps it differently each time', async () => {
      const key = newKey();
      const wrapped = await underTest.provider.wrap(key, 'account/acc_1');
      for (const encoding of ['base64', 'hex', 'base64url'] as const) expect(wrapped).not.toContain(key.toString(encoding));
      expect(await underTest.provider.wrap(key, 'account/acc_1')).not.toBe(wrapped);
    });

    it('refuses another context, a changed text and one that is none', async () => {
      const wrapped = await underTest.provider.wrap(newKey(), 'account/acc_1');
      await expect(underTest.provider.unwrap(wrapped, 'account/acc_2')).rejects.toEqual(refusal);
      const middle = Math.floor(wrapped.length * 0.75);
      const changed = `${wrapped.slice(0, middle)}${wrapped[middle] === 'A' ? 'B' : 'A'}${wrapped.slice(middle + 1)}`;
      await expect(underTest.provider.unwrap(changed, 'account/acc_1')).rejects.toEqual(refusal);
      for (const none of ['', 'x', 'local:1:', 'AAAA']) await expect(underTest.provider.unwrap(none, 'account/acc_1')).rejects.toEqual(refusal);
    });

    (rotates ? it : it.skip)('unwraps with every version of the master key, and wraps with the newest', async () => {
      const key = newKey();
      const running = await underTest.connect();
      const before = await underTest.provider.wrap(key, 'account/acc_1');
      expect(await running.isNewest(before)).toBe(true);
      await underTest.provider.rotate();
      const rotated = await underTest.connect();
      expect(await rotated.unwrap(before, 'account/acc_1')).toEqual(key);
      for (const each of [rotated, running]) {
        const after = await each.wrap(key, 'account/acc_1');
        expect([await each.isNewest(before), await each.isNewest(after)]).toEqual([false, true]);
        for (const reader of [underTest.provider, running, rotated]) expect(await reader.unwrap(after, 'account/acc_1')).toEqual(key);
      }
    });

    it('cannot unwrap with another master key', async () => {
      const wrapped = await underTest.provider.wrap(newKey(), 'account/acc_1');
      await expect((await underTest.other()).unwrap(wrapped, 'account/acc_1')).rejects.toEqual(refusal);
    });

    it('names itself', () => {
      expect(underTest.provider.describe()).toMatch(/^[a-z-]+:./);
    });
  });
}
