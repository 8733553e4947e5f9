import { DecryptCommand, DescribeKeyCommand, EncryptCommand, KMSClient, RotateKeyOnDemandCommand } from '@aws-sdk/client-kms';
import { ConfigError, pause } from '@parlance/platform';
import { keySetting, urlOption } from '../service/key-setting.js';
import type { DecryptedKey, EncryptedKey, KeyFault, KeyOperation, ServiceKey } from '../service/service-key.js';

/** The name in the encryption context, which CloudTrail logs. */
const CONTEXT = 'parlance';
/** Stands for the material that AWS does not name, as for keys that cannot be rotated in place, or a server with its protocol. */
const ONE_VERSION = '1';
/** Milliseconds between looks at a rotation, which AWS does in the background. */
const ROTATED_MS = 500;

/** Milliseconds; longer than the limits of the caller. */
const TIMEOUTS = { connectionTimeout: 5_000, requestTimeout: 15_000 };

const NOT_WRAPPED = new Set<unknown>(['IncorrectKeyException', 'InvalidCiphertextException']);
const NO_KEY = new Set<unknown>(['NotFoundException', 'DisabledException', 'KMSInvalidStateException', 'InvalidKeyUsageException', 'InvalidArnException', 'UnsupportedOperationException', 'ValidationException', 'LimitExceededException']);
const FORBIDDEN = new Set<unknown>(['AccessDeniedException', 'CredentialsProviderError', 'TokenProviderError', 'UnrecognizedClientException', 'InvalidSignatureException', 'IncompleteSignatureException', 'InvalidClientTokenId', 'ExpiredTokenException', 'MissingAuthenticationTokenException', 'OptInRequired']);
const BUSY = new Set<unknown>(['ThrottlingException', 'TooManyRequestsException', 'RequestLimitExceeded']);

/** A symmetric key of AWS KMS. Its versions are key materials. https://docs.aws.amazon.com/kms/latest/APIReference */
export class AwsKey implements ServiceKey {
  readonly scheme = 'aws-kms';

  /** @param name id, ARN or alias */
  constructor(
    readonly name: string,
    private readonly client: KMSClient,
  ) {}

  /** `Encrypt` does not say which material it used, `Decrypt` does. */
  async encrypt(key: Buffer, context: string, abortSignal: AbortSignal): Promise<EncryptedKey> {
    const command = new EncryptCommand({ KeyId: this.name, Plaintext: key, EncryptionContext: { [CONTEXT]: context } });
    const { CiphertextBlob } = await this.client.send(command, { abortSignal });
    return { ciphertext: Buffer.from(CiphertextBlob ?? []).toString('base64') };
  }

  async decrypt({ ciphertext }: Required<EncryptedKey>, context: string, abortSignal: AbortSignal): Promise<DecryptedKey> {
    const command = new DecryptCommand({ KeyId: this.name, CiphertextBlob: Buffer.from(ciphertext, 'base64'), EncryptionContext: { [CONTEXT]: context } });
    const { Plaintext, KeyMaterialId } = await this.client.send(command, { abortSignal });
    return { key: Buffer.from(Plaintext ?? []), version: KeyMaterialId ?? ONE_VERSION };
  }

  async newestVersion(signal: AbortSignal): Promise<string> {
    return (await this.describe(signal)).material;
  }

  /** AWS allows a limited number of rotations on demand for a key. */
  async rotate(signal: AbortSignal): Promise<void> {
    // It takes no alias.
    const before = await this.describe(signal);
    await this.client.send(new RotateKeyOnDemandCommand({ KeyId: before.arn }), { abortSignal: signal });
    while (before.material !== ONE_VERSION && (await this.describe(signal)).material === before.material) {
      await pause(ROTATED_MS, signal);
      signal.throwIfAborted();
    }
  }

  faultOf(error: unknown, operation: KeyOperation): KeyFault {
    const { name, $metadata } = (error ?? {}) as { name?: unknown; $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode;
    if (NOT_WRAPPED.has(name)) return 'not_wrapped';
    if (NO_KEY.has(name)) return operation === 'decrypt' && name === 'ValidationException' ? 'not_wrapped' : 'no_key';
    if (FORBIDDEN.has(name) || status === 401 || status === 403) return 'forbidden';
    return BUSY.has(name) || status === 429 ? 'busy' : 'away';
  }

  private async describe(abortSignal: AbortSignal): Promise<{ arn: string; material: string }> {
    const { KeyMetadata } = await this.client.send(new DescribeKeyCommand({ KeyId: this.name }), { abortSignal });
    return { arn: KeyMetadata?.Arn ?? this.name, material: KeyMetadata?.CurrentKeyMaterialId ?? ONE_VERSION };
  }
}

const ARN = /^arn:[\w-]+:kms:([\w-]+):\d*:(key|alias)\/[\w/-]+$/;
const ID = /^[\w-]+$/;
const ALIAS = /^alias\/[\w/-]+$/;

/** `<id, ARN or alias/…>?region=…&endpoint=…`, with the SDK's default chain of credentials. @throws ConfigError */
export function openAwsKey(rest: string): AwsKey {
  const { key, options } = keySetting('aws-kms', rest, ['region', 'endpoint']);
  if (![ARN, ID, ALIAS].some((form) => form.test(key))) throw new ConfigError(['KEY_PROVIDER: aws-kms: must be followed by the id, the ARN or the alias of a key, as in aws-kms:alias/parlance?region=eu-central-1']);
  const region = options.get('region') ?? ARN.exec(key)?.[1];
  const endpoint = urlOption(options, 'endpoint');
  return new AwsKey(key, new KMSClient({ ...(region !== undefined && { region }), ...(endpoint !== undefined && { endpoint }), maxAttempts: 1, requestHandler: TIMEOUTS }));
}
