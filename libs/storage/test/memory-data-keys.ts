import { randomBytes } from 'node:crypto';
import { AppError } from '@parlance/platform';
import type { DataKey, DataKeys } from '../src/keys/data-keys.js';

/** Keys of tests. */
export class MemoryDataKeys implements DataKeys {
  private readonly keys = new Map<string, DataKey | 'destroyed'>();

  async of(accountId: string, holder: string): Promise<DataKey> {
    const name = nameOf(accountId, holder);
    if (!this.keys.has(name)) this.keys.set(name, { id: `key_${this.keys.size}`, key: randomBytes(32) });
    return (await this.find(accountId, holder)) as DataKey;
  }

  async find(accountId: string, holder: string): Promise<DataKey | undefined> {
    const found = this.keys.get(nameOf(accountId, holder));
    if (found === 'destroyed') throw new AppError({ code: 'key_destroyed', message: 'The key was destroyed.' });
    return found;
  }

  async destroy(accountId: string, holder: string): Promise<void> {
    this.keys.set(nameOf(accountId, holder), 'destroyed');
  }
}

const nameOf = (accountId: string, holder: string): string => `${accountId}/${holder}`;
