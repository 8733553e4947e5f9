import { HttpDouble, type DoubleAnswer, type DoubleRequest } from './http-double.js';
import { VersionedKeys } from './versioned-keys.js';

/** The REST API of Google Cloud KMS for symmetric keys, and the token service of workload identity federation, as their public references describe them. */
export class GoogleDouble {
  readonly keys = new VersionedKeys();
  http!: HttpDouble;
  private isGenerating = false;

  static async start(): Promise<GoogleDouble> {
    const google = new GoogleDouble();
    google.http = await HttpDouble.start((request) => google.answer(request));
    return google;
  }

  private answer({ method, path, headers, body }: DoubleRequest): DoubleAnswer {
    if (path === '/token') return { status: 200, body: { access_token: 'token', issued_token_type: 'urn:ietf:params:oauth:token-type:access_token', token_type: 'Bearer', expires_in: 3600 } };
    if (headers.authorization !== 'Bearer token') return refusal(401, 'UNAUTHENTICATED');
    const [, name = '', action = ''] = /^\/v1\/(projects\/p\/locations\/l\/keyRings\/r\/cryptoKeys\/[\w-]+)(.*)$/.exec(path) ?? [];
    if (!this.keys.has(name)) return refusal(404, 'NOT_FOUND');
    const context = Buffer.from(String(body.additionalAuthenticatedData), 'base64').toString();
    const version = (number: number) => `${name}/cryptoKeyVersions/${number}`;
    if (action === ':encrypt') {
      return { status: 200, body: { name: version(this.keys.newest(name)), ciphertext: this.keys.encrypt(name, Buffer.from(String(body.plaintext), 'base64'), context) } };
    }
    if (action === ':decrypt') {
      const opened = this.keys.decrypt(name, String(body.ciphertext), context);
      return opened ? { status: 200, body: { plaintext: opened.plaintext.toString('base64') } } : refusal(400, 'INVALID_ARGUMENT', 'Decryption failed: the ciphertext is invalid.');
    }
    const next = this.keys.newest(name) + 1;
    if (action === '/cryptoKeyVersions' && method === 'POST') {
      this.isGenerating = true;
      return { status: 200, body: { name: version(next), state: 'PENDING_GENERATION' } };
    }
    if (action === `/cryptoKeyVersions/${next}` && this.isGenerating) return { status: 200, body: { name: version(next), state: 'ENABLED' } };
    if (action === ':updatePrimaryVersion' && body.cryptoKeyVersionId === String(next)) this.keys.rotate(name);
    return { status: 200, body: { name, purpose: 'ENCRYPT_DECRYPT', primary: { name: version(this.keys.newest(name)), state: 'ENABLED' } } };
  }
}

export const refusal = (code: number, status: string, message = status): DoubleAnswer => ({ status: code, body: { error: { code, message, status } } });
