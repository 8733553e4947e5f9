import { AppError } from '@parlance/platform';
import type { DataKey, DataKeys } from './data-keys.js';
import { keyRecordId, type KeyRecords } from './key-records.js';

/** Destroys keys where the key provider is not at hand, and has none to give. */
export class RecordDestroyer implements DataKeys {
  constructor(private readonly records: KeyRecords) {}

  of(): Promise<DataKey> {
    return this.find();
  }

  async find(): Promise<never> {
    throw new AppError({ kind: 'unavailable', code: 'keys_unavailable', message: 'Keys are not opened here.' });
  }

  async destroy(accountId: string, holder: string): Promise<void> {
    if (holder === '') await this.records.destroy(keyRecordId(accountId));
    await this.records.destroy(keyRecordId(accountId, holder));
  }
}
