import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, afterEach, describe, expect, it } from '@jest/globals';
import { AzureDouble, refusal } from '../../../../test/key-services/azure-double.js';
import { describeKeyProviderContract } from '../../../contract/index.js';
import { newKey } from '../../aead.js';
import { openKeyProvider } from '../open-key-provider.js';
import { ServiceKeyProvider } from '../service/service-key-provider.js';
import { AzureKey } from './azure-key.js';

const credential = { getToken: async () => ({ token: 'token', expiresOnTimestamp: Date.now() + 3_600_000 }) };

describe('Azure Key Vault', () => {
  let folder: string;
  let azure: AzureDouble;
  let ca: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-azure-'));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=vault', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert]);
    ca = await readFile(cert, 'utf8');
    azure = await AzureDouble.start({ cert: ca, key: await readFile(key, 'utf8') });
    for (const name of ['parlance', 'other']) azure.create(name);
  });
  afterEach(() => {
    azure.http.fault = undefined;
  });
  afterAll(async () => {
    await azure.http.stop();
    await rm(folder, { recursive: true });
  });

  /** The double is at an address of its own, which the client would not send a token to. */
  const open = (name: string) => new ServiceKeyProvider(new AzureKey(azure.http.url, name, credential, { disableChallengeResourceVerification: true, tlsOptions: { ca } }));

  describeKeyProviderContract('AzureKey, on a double of the protocol', async () => ({
    provider: open('parlance'),
    connect: async () => open('parlance'),
    other: async () => open('other'),
    dispose: async () => {},
  }));

  it.each([
    [refusal(403, 'Forbidden'), false, 'lack a permission'],
    [refusal(404, 'KeyNotFound'), false, 'does not have the key'],
    [refusal(429, 'Throttled'), true, 'limits the rate'],
    [refusal(503, 'ServiceUnavailable'), true, 'is unavailable'],
  ])('fails with its own answer (%#)', async (answer, retryable, message) => {
    const provider = open('parlance');
    const wrapped = await provider.wrap(newKey(), 'c');
    azure.http.fault = answer;
    await expect(provider.unwrap(wrapped, 'c')).rejects.toMatchObject({ code: 'keys_unavailable', retryable, message: expect.stringContaining(message) });
  });

  it('tries again after no answer', async () => {
    const provider = open('parlance');
    await azure.http.stop();
    await expect(provider.wrap(newKey(), 'c')).rejects.toMatchObject({ code: 'keys_unavailable', retryable: true });
    await azure.http.start();
  });

  it.each(['', 'http://v.vault.azure.net/keys/k', 'https://v.vault.azure.net/keys/k/0123', 'https://v.vault.azure.net/secrets/k'])('is not named by %j', async (rest) => {
    await expect(openKeyProvider(`azure-kv:${rest}`)).rejects.toThrow(/KEY_PROVIDER: azure-kv:/);
  });
});
