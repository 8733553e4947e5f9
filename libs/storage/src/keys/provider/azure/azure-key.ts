import { DefaultAzureCredential, type TokenCredential } from '@azure/identity';
import { CryptographyClient, KeyClient, type CryptographyClientOptions, type KeyVaultKey } from '@azure/keyvault-keys';
import { ConfigError } from '@parlance/platform';
import { newKey, openBytes, sealBytes } from '../../aead.js';
import { keySetting } from '../service/key-setting.js';
import type { DecryptedKey, EncryptedKey, KeyFault, KeyOperation, ServiceKey } from '../service/service-key.js';

const ALGORITHM = 'RSA-OAEP-256';

/** The key was changed, or was encrypted for another context. */
class NotWrapped extends Error {
  override readonly name = 'NotWrapped';
}

/**
 * An RSA key of Azure Key Vault or Managed HSM. It encrypts no more than a key and takes no context, so it wraps a key that is used
 * once, which encrypts the key of the account with AES-256-GCM: a ciphertext is `<wrapped key>.<encrypted key>`.
 * https://learn.microsoft.com/rest/api/keyvault/keys
 */
export class AzureKey implements ServiceKey {
  readonly scheme = 'azure-kv';
  readonly name: string;
  private readonly keys: KeyClient;
  private readonly versions = new Map<string, CryptographyClient>();

  constructor(
    private readonly vaultUrl: string,
    private readonly keyName: string,
    private readonly credential: TokenCredential,
    private readonly options: CryptographyClientOptions = {},
  ) {
    this.name = `${vaultUrl}/keys/${keyName}`;
    this.keys = new KeyClient(vaultUrl, credential, this.withOneTry());
  }

  async encrypt(key: Buffer, context: string, abortSignal: AbortSignal): Promise<EncryptedKey> {
    const newest = await this.newest(abortSignal);
    const once = newKey();
    const { result } = await new CryptographyClient(newest, this.credential, this.withOneTry()).wrapKey(ALGORITHM, once, { abortSignal });
    return { ciphertext: `${Buffer.from(result).toString('base64')}.${sealBytes(once, key, context)}`, version: newest.properties.version };
  }

  async decrypt({ ciphertext, version }: Required<EncryptedKey>, context: string, abortSignal: AbortSignal): Promise<DecryptedKey> {
    const [wrapped = '', sealed] = ciphertext.split('.');
    if (sealed === undefined) throw new NotWrapped('The key was not wrapped by Azure Key Vault.');
    const { result } = await this.client(version).unwrapKey(ALGORITHM, Buffer.from(wrapped, 'base64'), { abortSignal });
    const key = openBytes(Buffer.from(result), sealed, context);
    if (!key) throw new NotWrapped('The key was changed, or is of another context.');
    return { key };
  }

  async newestVersion(abortSignal: AbortSignal): Promise<string> {
    return (await this.newest(abortSignal)).properties.version ?? '';
  }

  async rotate(abortSignal: AbortSignal): Promise<void> {
    await this.keys.rotateKey(this.keyName, { abortSignal });
  }

  faultOf(error: unknown, operation: KeyOperation): KeyFault {
    if (error instanceof NotWrapped) return 'not_wrapped';
    const { name, statusCode } = (error ?? {}) as { name?: unknown; statusCode?: unknown };
    if (typeof name === 'string' && /^(CredentialUnavailable|AggregateAuthentication|Authentication)/.test(name) && !isAwayStatus(statusCode)) return 'forbidden';
    if (statusCode === 401 || statusCode === 403) return 'forbidden';
    if (statusCode === 404) return 'no_key';
    if (statusCode === 400) return operation === 'decrypt' ? 'not_wrapped' : 'no_key';
    return statusCode === 429 ? 'busy' : 'away';
  }

  private newest(abortSignal: AbortSignal): Promise<KeyVaultKey> {
    return this.keys.getKey(this.keyName, { abortSignal });
  }

  private client(version: string): CryptographyClient {
    const client = this.versions.get(version) ?? new CryptographyClient(`${this.name}/${version}`, this.credential, this.withOneTry());
    this.versions.set(version, client);
    return client;
  }

  private withOneTry(): CryptographyClientOptions {
    return { ...this.options, retryOptions: { maxRetries: 0 } };
  }
}

const isAwayStatus = (status: unknown): boolean => typeof status === 'number' && status >= 500;

/** `https://<vault>.vault.azure.net/keys/<key>`, with Azure's default chain of credentials. @throws ConfigError */
export function openAzureKey(rest: string): AzureKey {
  const { key } = keySetting('azure-kv', rest, []);
  const url = URL.parse(key);
  const [, name] = /^\/keys\/([A-Za-z0-9-]+)$/.exec(url?.pathname ?? '') ?? [];
  if (url?.protocol !== 'https:' || name === undefined) throw new ConfigError(['KEY_PROVIDER: azure-kv: must be followed by the URL of a key without its version, as in azure-kv:https://example.vault.azure.net/keys/parlance']);
  return new AzureKey(url.origin, name, new DefaultAzureCredential());
}
