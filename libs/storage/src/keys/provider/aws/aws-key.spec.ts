import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AwsDouble, refusal } from '../../../../test/key-services/aws-double.js';
import { describeKeyProviderContract } from '../../../contract/index.js';
import { newKey } from '../../aead.js';
import { openKeyProvider } from '../open-key-provider.js';

const setting = (aws: AwsDouble, key: string) => `aws-kms:${key}?region=eu-central-1&endpoint=${aws.http.url}`;

/** The SDK's default chain of credentials begins with the environment. */
function withCredentials(): void {
  const before = { ...process.env };
  beforeEach(() => void Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }));
  afterEach(() => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
}

describe('AWS KMS', () => {
  withCredentials();

  describeKeyProviderContract('AwsKey, on a double of the protocol', async () => {
    const aws = await AwsDouble.start();
    for (const key of ['parlance', 'other']) aws.keys.create(key);
    return {
      provider: await openKeyProvider(setting(aws, 'alias/parlance')),
      connect: () => openKeyProvider(setting(aws, 'alias/parlance')),
      other: () => openKeyProvider(setting(aws, 'other')),
      dispose: () => aws.http.stop(),
    };
  });

  describe('that fails', () => {
    let aws: AwsDouble;
    beforeEach(async () => {
      aws = await AwsDouble.start();
      aws.keys.create('parlance');
    });
    afterEach(() => aws.http.stop());

    it.each([
      ['AccessDeniedException', false, 'lack a permission'],
      ['UnrecognizedClientException', false, 'refused the credentials'],
      ['NotFoundException', false, 'does not have the key'],
      ['DisabledException', false, 'does not have the key'],
      ['KMSInvalidStateException', false, 'does not have the key'],
      ['ThrottlingException', true, 'limits the rate'],
      ['KMSInternalException', true, 'is unavailable'],
    ])('with %s', async (type, retryable, message) => {
      aws.http.fault = refusal(type);
      await expect((await openKeyProvider(setting(aws, 'parlance'))).wrap(newKey(), 'c')).rejects.toMatchObject({ code: 'keys_unavailable', retryable, message: expect.stringContaining(message) });
    });

    it('with no answer', async () => {
      const provider = await openKeyProvider(setting(aws, 'parlance'));
      await aws.http.stop();
      await expect(provider.wrap(newKey(), 'c')).rejects.toMatchObject({ code: 'keys_unavailable', retryable: true });
      await aws.http.start();
    });
  });

  it.each(['', 'arn:aws:s3:::bucket', 'alias/', 'a b', 'key?profile=x', 'key?endpoint=ftp://x'])('is not named by %j', async (rest) => {
    await expect(openKeyProvider(`aws-kms:${rest}`)).rejects.toThrow(/KEY_PROVIDER: /);
  });
});
