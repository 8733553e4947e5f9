import { KEY_BYTES } from '../../aead.js';
import type { KeyProvider } from '../key-provider.js';
import { KeyServiceRefusal, keysUnavailable, wrongKey } from '../keys-unavailable.js';
import { GuardedCalls } from './guarded-calls.js';
import type { EncryptedKey, ServiceKey } from './service-key.js';

/** Milliseconds that the newest version is remembered. A rotation and its status ask for it once a key. */
const NEWEST_MS = 5_000;
/** Milliseconds. */
const ROTATION_MS = 120_000;
/** A service that names no version keeps to itself which one wrapped a key. */
const NO_VERSION = '-';

const WRAPPED = /^([a-z-]+):([\w-]+):([A-Za-z0-9+/=.]+)$/;

/** Wraps by the master key of a service, which no process of Parlance sees. A wrapped key is `<scheme>:<version>:<ciphertext>`. */
export class ServiceKeyProvider implements KeyProvider {
  private readonly calls: GuardedCalls;
  private newest: { version: string; readAt: number } | undefined;

  constructor(private readonly key: ServiceKey) {
    this.calls = new GuardedCalls(key);
  }

  async wrap(key: Buffer, context: string): Promise<string> {
    const { ciphertext, version } = await this.calls.run('encrypt', (signal) => this.key.encrypt(key, context, signal));
    // A wrapped key is read back before it is used: if it does not unwrap, all that it seals is lost.
    const back = await this.decrypted({ ciphertext, version: version ?? NO_VERSION }, context);
    if (!back.key.equals(key)) throw keysUnavailable(`The key service (${this.key.scheme}) returned another key than it was given.`);
    const wrappedBy = version ?? back.version ?? NO_VERSION;
    if (this.newest?.version !== wrappedBy) this.newest = undefined;
    return `${this.key.scheme}:${wrappedBy}:${ciphertext}`;
  }

  async unwrap(wrapped: string, context: string): Promise<Buffer> {
    const { key } = await this.decrypted(this.parsed(wrapped), context);
    if (key.length !== KEY_BYTES) throw wrongKey(`The key service (${this.key.scheme}) returned a key of a wrong length.`);
    return key;
  }

  async isNewest(wrapped: string): Promise<boolean> {
    return WRAPPED.exec(wrapped)?.[1] === this.key.scheme && this.parsed(wrapped).version === (await this.newestVersion());
  }

  async rotate(): Promise<void> {
    this.newest = undefined;
    try {
      await this.calls.once('rotate', ROTATION_MS, (signal) => this.key.rotate(signal));
    } catch (error) {
      throw error instanceof KeyServiceRefusal ? new KeyServiceRefusal(`${error.message} Make the new version of the key at the service, and rotate with --keep-master-key.`, error) : error;
    }
  }

  describe(): string {
    return `${this.key.scheme}:${this.key.name}`;
  }

  private decrypted(encrypted: Required<EncryptedKey>, context: string) {
    return this.calls.run('decrypt', (signal) => this.key.decrypt(encrypted, context, signal));
  }

  private async newestVersion(): Promise<string> {
    const now = performance.now();
    if (this.newest && now - this.newest.readAt < NEWEST_MS) return this.newest.version;
    const version = await this.calls.run('read', (signal) => this.key.newestVersion(signal));
    this.newest = { version, readAt: now };
    return version;
  }

  private parsed(wrapped: string): Required<EncryptedKey> {
    const [, scheme, version, ciphertext] = WRAPPED.exec(wrapped) ?? [];
    if (scheme !== this.key.scheme || version === undefined || ciphertext === undefined) throw wrongKey(`A key was not wrapped by the key service (KEY_PROVIDER=${this.key.scheme}:…).`);
    return { version, ciphertext };
  }
}
