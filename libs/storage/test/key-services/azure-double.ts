import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt, randomBytes, type KeyObject } from 'node:crypto';
import { HttpDouble, type DoubleAnswer, type DoubleRequest } from './http-double.js';

interface KeyVersion {
  version: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

/** The REST API of Azure Key Vault for RSA keys, with its authentication challenge, as its public reference describes it. */
export class AzureDouble {
  private readonly keys = new Map<string, KeyVersion[]>();
  http!: HttpDouble;

  static async start(tls: { cert: string; key: string }): Promise<AzureDouble> {
    const azure = new AzureDouble();
    azure.http = await HttpDouble.start((request) => azure.answer(request), tls);
    return azure;
  }

  create(name: string): void {
    this.keys.set(name, [newVersion()]);
  }

  private answer({ method, path, headers, body }: DoubleRequest): DoubleAnswer {
    if (headers.authorization !== 'Bearer token') {
      return { status: 401, headers: { 'www-authenticate': 'Bearer authorization="https://login.microsoftonline.com/tenant", resource="https://vault.azure.net"' } };
    }
    const [, name = '', version = '', action = ''] = /^\/keys\/([\w-]+)(?:\/([0-9a-f]{32}))?\/?(rotate|wrapkey|unwrapkey)?\?api(?:-|%2D)version=/.exec(path) ?? [];
    const versions = this.keys.get(name);
    if (!versions) return refusal(404, 'KeyNotFound');
    if (action === 'rotate' && method === 'POST') versions.push(newVersion());
    const key = version === '' ? versions.at(-1) : versions.find((each) => each.version === version);
    if (!key) return refusal(404, 'KeyNotFound');
    const kid = `${this.http.url}/keys/${name}/${key.version}`;
    if (action === 'wrapkey' || action === 'unwrapkey') return wrapping(kid, key, action, body);
    return { status: 200, body: { key: { kid, kty: 'RSA', key_ops: ['wrapKey', 'unwrapKey'], ...key.publicKey.export({ format: 'jwk' }) }, attributes: { enabled: true } } };
  }
}

function wrapping(kid: string, { privateKey, publicKey }: KeyVersion, action: 'wrapkey' | 'unwrapkey', { alg, value }: Record<string, unknown>): DoubleAnswer {
  if (alg !== 'RSA-OAEP-256') return refusal(400, 'BadParameter');
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  const bytes = Buffer.from(String(value), 'base64url');
  try {
    const result = action === 'wrapkey' ? publicEncrypt({ key: publicKey, ...padding }, bytes) : privateDecrypt({ key: privateKey, ...padding }, bytes);
    return { status: 200, body: { kid, value: result.toString('base64url') } };
  } catch {
    return refusal(400, 'BadParameter');
  }
}

const newVersion = (): KeyVersion => ({ version: randomBytes(16).toString('hex'), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) });
export const refusal = (status: number, code: string): DoubleAnswer => ({ status, body: { error: { code, message: code } } });
