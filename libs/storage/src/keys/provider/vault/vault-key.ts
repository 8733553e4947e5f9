import { ConfigError } from '@parlance/platform';
import { z } from 'zod';
import { callJson, HttpRefusal } from '../service/json-call.js';
import { isHttpUrl, keySetting } from '../service/key-setting.js';
import type { DecryptedKey, EncryptedKey, KeyFault, KeyOperation, ServiceKey } from '../service/service-key.js';
import { NoVaultToken, VaultToken, type VaultIdentity } from './vault-token.js';

interface VaultAddress {
  /** Without a slash at the end. */
  address: string;
  /** Path of the secrets engine Transit. */
  mount: string;
  key: string;
  namespace: string | undefined;
}

const CIPHERTEXT = /^vault:v([1-9][0-9]*):(.+)$/;

const encrypted = z.object({ data: z.object({ ciphertext: z.string().regex(CIPHERTEXT) }) });
const decrypted = z.object({ data: z.object({ plaintext: z.base64() }) });
const keyInfo = z.object({ data: z.object({ latest_version: z.int().positive() }) });

/**
 * A key of the secrets engine Transit of HashiCorp Vault (1.9 or later) or OpenBao.
 * https://developer.hashicorp.com/vault/api-docs/secret/transit
 */
export class VaultKey implements ServiceKey {
  readonly scheme = 'vault-transit';
  readonly name: string;
  private readonly headers: Record<string, string>;
  private readonly token: VaultToken;

  constructor(
    private readonly at: VaultAddress,
    identity: VaultIdentity,
  ) {
    this.name = `${at.address}/${at.mount}/${at.key}`;
    this.headers = { 'x-vault-request': 'true', ...(at.namespace !== undefined && { 'x-vault-namespace': at.namespace }) };
    this.token = new VaultToken(at.address, this.headers, identity);
  }

  async encrypt(key: Buffer, context: string, signal: AbortSignal): Promise<EncryptedKey> {
    // Vault would make a key that does not exist, where its policy allows that.
    await this.newestVersion(signal);
    const answer = await this.call('encrypt', signal, { plaintext: key.toString('base64'), associated_data: base64(context) });
    const [, version, ciphertext = ''] = CIPHERTEXT.exec(encrypted.parse(answer).data.ciphertext) ?? [];
    return { version, ciphertext };
  }

  async decrypt({ version, ciphertext }: Required<EncryptedKey>, context: string, signal: AbortSignal): Promise<DecryptedKey> {
    const answer = await this.call('decrypt', signal, { ciphertext: `vault:v${version}:${ciphertext}`, associated_data: base64(context) });
    return { key: Buffer.from(decrypted.parse(answer).data.plaintext, 'base64') };
  }

  async newestVersion(signal: AbortSignal): Promise<string> {
    return String(keyInfo.parse(await this.call('keys', signal)).data.latest_version);
  }

  async rotate(signal: AbortSignal): Promise<void> {
    await this.newestVersion(signal);
    await this.call('keys', signal, {}, '/rotate');
  }

  faultOf(error: unknown, operation: KeyOperation): KeyFault {
    if (error instanceof NoVaultToken) return 'forbidden';
    if (!(error instanceof HttpRefusal)) return 'away';
    if (error.status === 400) return operation === 'decrypt' ? 'not_wrapped' : 'no_key';
    if (error.status === 401 || error.status === 403) return 'forbidden';
    if (error.status === 404) return 'no_key';
    return error.status === 429 ? 'busy' : 'away';
  }

  /** POST with a body, GET without. A refused token is obtained anew, once. */
  private async call(path: string, signal: AbortSignal, body?: unknown, action = ''): Promise<unknown> {
    const { address, mount, key } = this.at;
    const send = async () =>
      callJson(`${address}/v1/${mount}/${path}/${key}${action}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...this.headers, 'x-vault-token': await this.token.get(signal) },
        body,
        signal,
      });
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof HttpRefusal) || error.status !== 403 || !this.token.refused()) throw error;
      return await send();
    }
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const NAME = /^[\w.-]+$/;

/** `<URL of Vault>/<path of Transit>/<key>?namespace=…&role=…&auth=…` @throws ConfigError */
export function openVaultKey(rest: string, env: VaultIdentity['env']): VaultKey {
  const { key, options } = keySetting('vault-transit', rest, ['namespace', 'role', 'auth']);
  const url = URL.parse(key);
  const path = url?.pathname.split('/').filter((part) => part !== '') ?? [];
  const name = path.pop();
  if (!url || !isHttpUrl(key) || url.username !== '' || name === undefined || path.length === 0 || ![...path, name].every((part) => NAME.test(part))) {
    throw new ConfigError(['KEY_PROVIDER: vault-transit: must be followed by https://<host>[:<port>]/<path of the Transit engine>/<key>, as in vault-transit:https://vault:8200/transit/parlance']);
  }
  const at = { address: url.origin, mount: path.join('/'), key: name, namespace: options.get('namespace') };
  return new VaultKey(at, { role: options.get('role'), authPath: options.get('auth') ?? 'kubernetes', env });
}
