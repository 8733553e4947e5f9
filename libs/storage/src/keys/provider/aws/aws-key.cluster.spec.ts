import { CreateAliasCommand, CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { describeKeyProviderContract } from '../../../contract/index.js';
import { newKey } from '../../aead.js';
import { openKeyProvider } from '../open-key-provider.js';

/** The server of moto, which speaks the protocol of AWS KMS: `.ci/parts/key-services` starts it, and gives credentials. */
const endpoint = process.env.KMS_ENDPOINT;

(endpoint === undefined ? describe.skip : describe)('AWS KMS as moto has it', () => {
  const client = new KMSClient({ region: 'eu-central-1', endpoint: endpoint ?? 'http://127.0.0.1' });
  const setting = (key: string) => `aws-kms:${key}?region=eu-central-1&endpoint=${endpoint}`;
  const create = async () => (await client.send(new CreateKeyCommand({}))).KeyMetadata?.KeyId ?? '';
  const alias = `alias/parlance-${process.pid}`;
  let other: string;
  beforeAll(async () => {
    await client.send(new CreateAliasCommand({ AliasName: alias, TargetKeyId: await create() }));
    other = await create();
  });

  // moto has no key materials, so nothing can be seen of a rotation.
  describeKeyProviderContract('AwsKey', async () => ({
    provider: await openKeyProvider(setting(alias)),
    connect: () => openKeyProvider(setting(alias)),
    other: () => openKeyProvider(setting(other)),
    dispose: async () => {},
  }), { rotates: false });

  it('refuses a key that does not exist', async () => {
    await expect((await openKeyProvider(setting('alias/none'))).wrap(newKey(), 'c')).rejects.toMatchObject({ code: 'keys_unavailable', retryable: false });
  });
});
