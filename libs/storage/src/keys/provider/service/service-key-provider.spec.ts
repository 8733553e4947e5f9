import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VaultDouble } from '../../../../test/key-services/vault-double.js';
import { newKey } from '../../aead.js';
import { openVaultKey } from '../vault/vault-key.js';
import { GuardedCalls } from './guarded-calls.js';
import { ServiceKeyProvider } from './service-key-provider.js';
import type { ServiceKey } from './service-key.js';

const LIMITS = { tryMs: 30_000, callMs: 60_000, backoff: { initialDelayMs: 1, maxDelayMs: 2 }, restMs: 60_000 };

describe('calls of a key service', () => {
  let vault: VaultDouble;
  let key: ServiceKey;
  beforeEach(async () => {
    vault = await VaultDouble.start();
    vault.keys.create('parlance');
    key = openVaultKey(`${vault.http.url}/transit/parlance`, { VAULT_TOKEN: 'root' });
  });
  afterEach(() => vault.http.stop());

  const read = (calls: GuardedCalls) => calls.run('read', (signal) => key.newestVersion(signal));
  const away = { kind: 'unavailable', code: 'keys_unavailable', retryable: true, message: 'The key service (vault-transit) is unavailable.' };

  it.each([[503, 3, 'is unavailable'], [429, 3, 'limits the rate'], [403, 1, 'refused the credentials'], [404, 1, 'does not have the key']] as const)('that are answered with %i are made %i times', async (status, tries, message) => {
    vault.http.fault = { status, body: { errors: ['no'] } };
    await expect(read(new GuardedCalls(key, LIMITS))).rejects.toMatchObject({ code: 'keys_unavailable', retryable: tries > 1, message: expect.stringContaining(message) });
    expect(vault.http.requests).toHaveLength(tries);
  });

  it('succeed when the service answers again in time', async () => {
    vault.http.fault = { status: 503 };
    const calling = new GuardedCalls(key, { ...LIMITS, backoff: { initialDelayMs: 50, maxDelayMs: 50 } });
    const reading = read(calling);
    while (vault.http.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    vault.http.fault = undefined;
    expect(await reading).toBe('1');
  });

  it('end when the service hangs, and others then fail at once for a while', async () => {
    vault.http.fault = 'hang';
    const calls = new GuardedCalls(key, { ...LIMITS, tryMs: 200 });
    await expect(read(calls)).rejects.toMatchObject(away);
    const made = vault.http.requests.length;
    vault.http.fault = undefined;
    await expect(read(calls)).rejects.toMatchObject(away);
    expect(vault.http.requests).toHaveLength(made);
  });

  it('end when a client hangs that does not look at the signal, such as one in search of credentials', async () => {
    await expect(new GuardedCalls(key, { ...LIMITS, tryMs: 20 }).run('read', () => new Promise<never>(() => {}))).rejects.toMatchObject(away);
    await expect(new GuardedCalls(key, LIMITS).once('rotate', 20, () => new Promise<never>(() => {}))).rejects.toMatchObject(away);
  });

  it('end when nothing listens, and continue when it does', async () => {
    const calls = new GuardedCalls(key, { ...LIMITS, restMs: 0 });
    await vault.http.stop();
    await expect(read(calls)).rejects.toMatchObject(away);
    await vault.http.start();
    expect(await read(calls)).toBe('1');
  });

  it.each([{ status: 200, body: 'no JSON' }, { status: 200, body: { data: {} } }, { status: 200, body: 'x'.repeat(2_000_000) }])('take no other answer for one (%#)', async (fault) => {
    vault.http.fault = fault;
    await expect(read(new GuardedCalls(key, LIMITS))).rejects.toMatchObject(away);
  });

  it('are sixteen at a time', async () => {
    let [running, most] = [0, 0];
    const calls = new GuardedCalls(key, LIMITS);
    const call = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 100 }, () => calls.run('read', call)));
    expect(most).toBe(16);
  });
});

describe('a key that a service wraps', () => {
  const answering = (decrypted: () => Buffer): ServiceKey => ({
    scheme: 'fake',
    name: 'key',
    encrypt: async () => ({ ciphertext: 'AAAA', version: '1' }),
    decrypt: async () => ({ key: decrypted() }),
    newestVersion: async () => '1',
    rotate: () => Promise.reject(new Error('denied')),
    faultOf: () => 'forbidden',
  });

  it('is not used when it does not read back', async () => {
    await expect(new ServiceKeyProvider(answering(newKey)).wrap(newKey(), 'c')).rejects.toMatchObject({ code: 'keys_unavailable', message: expect.stringContaining('another key') });
  });

  it('is refused when its length is another', async () => {
    await expect(new ServiceKeyProvider(answering(() => Buffer.alloc(16))).unwrap('fake:1:AAAA', 'c')).rejects.toMatchObject({ code: 'keys_unavailable', retryable: false });
  });

  it('is rotated at the service where Parlance may not do that', async () => {
    await expect(new ServiceKeyProvider(answering(newKey)).rotate()).rejects.toThrow(/lack a permission .* Make the new version of the key at the service, and rotate with --keep-master-key/);
  });

  it('is not the newest when something else wrapped it', async () => {
    const provider = new ServiceKeyProvider(answering(newKey));
    expect(await Promise.all(['fake:1:AAAA', 'fake:2:AAAA', 'local:1:AAAA', 'x'].map((wrapped) => provider.isNewest(wrapped)))).toEqual([true, false, false, false]);
  });
});
