import { openBytes, sealBytes } from '../../aead.js';
import type { KeyProvider } from '../key-provider.js';
import { wrongKey } from '../keys-unavailable.js';
import { addMasterKey, readMasterKeys, type MasterKey } from './master-key-file.js';

const WRAPPED = /^local:([1-9][0-9]{0,8}):([A-Za-z0-9+/=]+)$/;

/** Wraps with master keys in the memory of this process, which come from a file. A version that another process has added is read when it is needed. */
export class LocalKeyProvider implements KeyProvider {
  private newest!: MasterKey;
  private byVersion!: ReadonlyMap<number, Buffer>;

  /** @param keys at least one */
  constructor(
    private readonly path: string,
    keys: readonly MasterKey[],
  ) {
    this.use(keys);
  }

  async wrap(key: Buffer, context: string): Promise<string> {
    await this.reload();
    const { version, key: master } = this.newest;
    return `local:${version}:${sealBytes(master, key, context)}`;
  }

  async unwrap(wrapped: string, context: string): Promise<Buffer> {
    const [, version, sealed] = WRAPPED.exec(wrapped) ?? [];
    if (version === undefined || sealed === undefined) throw wrongKey('A key was not wrapped by a key file (KEY_PROVIDER=local:…).');
    if (!this.byVersion.has(Number(version))) await this.reload();
    const master = this.byVersion.get(Number(version));
    if (!master) throw wrongKey(`The key file ${this.path} lacks version ${version} of the master key.`);
    const key = openBytes(master, sealed, context);
    if (!key) throw wrongKey(`The key file ${this.path} has another version ${version} of the master key than the one that wrapped a key.`);
    return key;
  }

  async isNewest(wrapped: string): Promise<boolean> {
    await this.reload();
    return WRAPPED.exec(wrapped)?.[1] === String(this.newest.version);
  }

  async rotate(): Promise<void> {
    await addMasterKey(this.path);
    await this.reload();
  }

  describe(): string {
    return `local:${this.path}`;
  }

  /** A file that is missing or broken while the process runs leaves it with the keys that it has. */
  private async reload(): Promise<void> {
    const keys = await readMasterKeys(this.path).catch(() => undefined);
    if (keys && keys.every(({ version, key }) => this.byVersion.get(version)?.equals(key) ?? true)) this.use(keys);
  }

  private use(keys: readonly MasterKey[]): void {
    this.byVersion = new Map([...(this.byVersion ?? []), ...keys.map(({ version, key }) => [version, key] as const)]);
    this.newest = keys.reduce((newest, key) => (key.version > newest.version ? key : newest));
  }
}
