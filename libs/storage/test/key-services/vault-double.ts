import { HttpDouble, type DoubleAnswer, type DoubleRequest } from './http-double.js';
import { VersionedKeys } from './versioned-keys.js';

const REFUSED: DoubleAnswer = { status: 403, body: { errors: ['permission denied'] } };

/** Vault's API for Transit and for logins by Kubernetes, as its public reference describes it. */
export class VaultDouble {
  readonly keys = new VersionedKeys();
  /** Tokens that are valid. */
  readonly tokens = new Set(['root']);
  private logins = 0;
  http!: HttpDouble;

  static async start(): Promise<VaultDouble> {
    const vault = new VaultDouble();
    vault.http = await HttpDouble.start((request) => vault.answer(request));
    return vault;
  }

  private answer({ method, path, headers, body }: DoubleRequest): DoubleAnswer {
    if (path === '/v1/auth/kubernetes/login') return this.login(body);
    if (!this.tokens.has(String(headers['x-vault-token']))) return REFUSED;
    const [, operation = '', name = '', action] = /^\/v1\/transit\/(\w+)\/([\w.-]+)(\/rotate)?$/.exec(path) ?? [];
    if (operation === '') return { status: 404, body: { errors: [`no handler for route "${path}"`] } };
    if (!this.keys.has(name)) return operation === 'keys' ? { status: 404, body: { errors: [] } } : bad('encryption key not found');
    const context = Buffer.from(String(body.associated_data), 'base64').toString();
    if (operation === 'encrypt') {
      const ciphertext = this.keys.encrypt(name, Buffer.from(String(body.plaintext), 'base64'), context);
      return { status: 200, body: { data: { ciphertext: `vault:v${this.keys.newest(name)}:${ciphertext}`, key_version: this.keys.newest(name) } } };
    }
    if (operation === 'decrypt') {
      const opened = this.keys.decrypt(name, String(body.ciphertext).replace(/^vault:v\d+:/, ''), context);
      return opened ? { status: 200, body: { data: { plaintext: opened.plaintext.toString('base64') } } } : bad('cipher: message authentication failed');
    }
    if (action !== undefined && method === 'POST') this.keys.rotate(name);
    return { status: 200, body: { data: { name, type: 'aes256-gcm96', latest_version: this.keys.newest(name) } } };
  }

  private login({ role, jwt }: Record<string, unknown>): DoubleAnswer {
    if (role !== 'parlance' || jwt !== 'account-token') return REFUSED;
    this.logins += 1;
    const token = `login-${this.logins}`;
    this.tokens.add(token);
    return { status: 200, body: { auth: { client_token: token, lease_duration: 3600, renewable: true } } };
  }
}

const bad = (error: string): DoubleAnswer => ({ status: 400, body: { errors: [error] } });
