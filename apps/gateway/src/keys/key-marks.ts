import type { Clock } from '@parlance/platform';
import type { DocumentCollection, Stored } from '@parlance/storage';
import type { ApiKey } from './api-key.js';

/** Milliseconds after which a call that marked a key has been cut off. It takes a fraction of a second. */
const ENDING_MS = 60_000;

/** Marks the keys that calls are about to end, so that calls at the same time count them as gone. */
export class KeyMarks {
  constructor(
    private readonly keys: DocumentCollection<ApiKey>,
    private readonly clock: Clock,
  ) {}

  /** @returns undefined when there is no such key */
  async set(id: string): Promise<Stored<ApiKey> | undefined> {
    const endingSince = this.clock.now().toISOString();
    const { stored } = await this.keys.update(id, (key) => key && { document: { ...key, endingSince } });
    return stored;
  }

  /** @returns false when another call has changed the key since */
  async clear({ document: { endingSince: _since, ...key }, version }: Stored<ApiKey>): Promise<boolean> {
    return (await this.keys.replaceIf(key, version)) !== undefined;
  }

  /**
   * Returns keys without a mark, and keys with the mark of an interrupted call: the mark is removed first, so that the call
   * cannot continue.
   */
  async staying(keys: AsyncIterable<Stored<ApiKey>>): Promise<ApiKey[]> {
    const abandoned = new Date(this.clock.now().getTime() - ENDING_MS).toISOString();
    const staying: ApiKey[] = [];
    for await (const stored of keys) {
      const { endingSince } = stored.document;
      if (endingSince === undefined || (endingSince < abandoned && (await this.clear(stored)))) staying.push(stored.document);
    }
    return staying;
  }
}
