import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VaultDouble } from '../../../../test/key-services/vault-double.js';
import { describeKeyProviderContract } from '../../../contract/index.js';
import { newKey } from '../../aead.js';
import { openKeyProvider } from '../open-key-provider.js';
import { ServiceKeyProvider } from '../service/service-key-provider.js';
import { openVaultKey, VaultKey } from './vault-key.js';

const open = (vault: VaultDouble, key: string, options = '', env: Record<string, string> = { VAULT_TOKEN: 'root' }) =>
  new ServiceKeyProvider(openVaultKey(`${vault.http.url}/transit/${key}${options}`, env));

describeKeyProviderContract('VaultKey, on a double of the protocol', async () => {
  const vault = await VaultDouble.start();
  for (const key of ['parlance', 'other']) vault.keys.create(key);
  return {
    provider: open(vault, 'parlance'),
    connect: async () => open(vault, 'parlance'),
    other: async () => open(vault, 'other'),
    dispose: () => vault.http.stop(),
  };
});

describe('Vault Transit', () => {
  let vault: VaultDouble;
  let folder: string;
  beforeEach(async () => {
    vault = await VaultDouble.start();
    vault.keys.create('parlance');
    folder = await mkdtemp(join(tmpdir(), 'parlance-vault-'));
  });
  afterEach(async () => {
    await vault.http.stop();
    await rm(folder, { recursive: true });
  });

  const refused = { kind: 'unavailable', code: 'keys_unavailable', retryable: false };

  it('is not asked to encrypt with a key that it does not have: it might make one', async () => {
    await expect(open(vault, 'parlence').wrap(newKey(), 'c')).rejects.toMatchObject({ ...refused, message: expect.stringContaining('does not have the key') });
    expect(vault.http.requests.map(({ path }) => path)).toEqual(['/v1/transit/keys/parlence']);
  });

  it.each([{}, { VAULT_TOKEN: 'revoked' }, { VAULT_TOKEN_FILE: '/nowhere' }])('refuses the credentials %j', async (env) => {
    await expect(open(vault, 'parlance', '', env as Record<string, string>).wrap(newKey(), 'c')).rejects.toMatchObject({ ...refused, message: expect.stringContaining('refused the credentials') });
  });

  it('sends the namespace with every call', async () => {
    await open(vault, 'parlance', '?namespace=team').wrap(newKey(), 'c');
    expect(new Set(vault.http.requests.map(({ headers }) => headers['x-vault-namespace']))).toEqual(new Set(['team']));
  });

  it('reads the token anew from its file when the old one is refused', async () => {
    const file = join(folder, 'token');
    await writeFile(file, 'root\n');
    const provider = open(vault, 'parlance', '', { VAULT_TOKEN_FILE: file });
    const wrapped = await provider.wrap(newKey(), 'c');
    vault.tokens.delete('root');
    vault.tokens.add('renewed');
    await writeFile(file, 'renewed\n');
    await expect(provider.unwrap(wrapped, 'c')).resolves.toHaveLength(32);
  });

  it('logs in with the token of the pod, again when the login has expired', async () => {
    const accountTokenFile = join(folder, 'account');
    await writeFile(accountTokenFile, 'account-token');
    const at = { address: vault.http.url, mount: 'transit', key: 'parlance', namespace: undefined };
    const provider = new ServiceKeyProvider(new VaultKey(at, { role: 'parlance', authPath: 'kubernetes', env: {}, accountTokenFile }));
    const wrapped = await provider.wrap(newKey(), 'c');
    expect([...vault.tokens]).toEqual(['root', 'login-1']);
    vault.tokens.clear();
    await expect(provider.unwrap(wrapped, 'c')).resolves.toHaveLength(32);
    expect([...vault.tokens]).toEqual(['login-2']);
  });

  it.each(['', 'http://host', 'http://host/transit', 'ftp://host/transit/key', 'https://user@host/transit/key', 'https://host/transit/..%2Fkey', 'https://host/transit/key?token=x'])('is not named by %j', async (rest) => {
    await expect(openKeyProvider(`vault-transit:${rest}`)).rejects.toThrow(/KEY_PROVIDER: vault-transit:/);
  });
});
