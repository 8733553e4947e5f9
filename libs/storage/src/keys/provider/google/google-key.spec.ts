import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GoogleDouble, refusal } from '../../../../test/key-services/google-double.js';
import { describeKeyProviderContract } from '../../../contract/index.js';
import { newKey } from '../../aead.js';
import { openKeyProvider } from '../open-key-provider.js';

const KEY = 'projects/p/locations/l/keyRings/r/cryptoKeys';
const setting = (google: GoogleDouble, key: string) => `gcp-kms:${KEY}/${key}?endpoint=${google.http.url}`;

describe('Google Cloud KMS', () => {
  let folder: string;
  let google: GoogleDouble;
  const before = process.env.GOOGLE_APPLICATION_CREDENTIALS;

  /** Application default credentials of workload identity federation, whose token service is the double. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-google-'));
    google = await GoogleDouble.start();
    for (const key of ['parlance', 'other']) google.keys.create(`${KEY}/${key}`);
    await writeFile(join(folder, 'account-token'), 'token-of-the-pod');
    const credentials = { type: 'external_account', audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k', subject_token_type: 'urn:ietf:params:oauth:token-type:jwt', token_url: `${google.http.url}/token`, credential_source: { file: join(folder, 'account-token') } };
    await writeFile(join(folder, 'credentials.json'), JSON.stringify(credentials));
  });
  beforeEach(() => {
    process.env.GOOGLE_APPLICATION_CREDENTIALS = join(folder, 'credentials.json');
  });
  afterEach(() => {
    google.http.fault = undefined;
    if (before === undefined) delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
    else process.env.GOOGLE_APPLICATION_CREDENTIALS = before;
  });
  afterAll(async () => {
    await google.http.stop();
    await rm(folder, { recursive: true });
  });

  describeKeyProviderContract('GoogleKey, on a double of the protocol', async () => ({
    provider: await openKeyProvider(setting(google, 'parlance')),
    connect: () => openKeyProvider(setting(google, 'parlance')),
    other: () => openKeyProvider(setting(google, 'other')),
    dispose: async () => {},
  }));

  it.each([
    [refusal(403, 'PERMISSION_DENIED'), false, 'lack a permission'],
    [refusal(404, 'NOT_FOUND'), false, 'does not have the key'],
    [refusal(400, 'FAILED_PRECONDITION'), false, 'does not have the key'],
    [refusal(429, 'RESOURCE_EXHAUSTED'), true, 'limits the rate'],
    [refusal(503, 'UNAVAILABLE'), true, 'is unavailable'],
  ])('fails with its own answer (%#)', async (answer, retryable, message) => {
    const provider = await openKeyProvider(setting(google, 'parlance'));
    const wrapped = await provider.wrap(newKey(), 'c');
    google.http.fault = answer;
    await expect(provider.unwrap(wrapped, 'c')).rejects.toMatchObject({ code: 'keys_unavailable', retryable, message: expect.stringContaining(message) });
  });

  it('is not called without credentials', async () => {
    process.env.GOOGLE_APPLICATION_CREDENTIALS = join(folder, 'missing.json');
    await expect((await openKeyProvider(setting(google, 'parlance'))).wrap(newKey(), 'c')).rejects.toMatchObject({ retryable: false, message: expect.stringContaining('refused the credentials') });
  });

  it.each(['', 'projects/p', `${KEY}/k/cryptoKeyVersions/1`, `${KEY}/k?region=x`])('is not named by %j', async (rest) => {
    await expect(openKeyProvider(`gcp-kms:${rest}`)).rejects.toThrow(/KEY_PROVIDER: gcp-kms:/);
  });
});
