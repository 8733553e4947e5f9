import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { ApiKeys } from './api-keys.js';

/** When a key was last let in; apart from the key, whose document would be written all the time. */
interface KeyUse extends Document {
  lastUsedAt: string;
}

/** Keys whose use is stored at the same time. */
const TOGETHER = 32;

/** When keys were last used, to about a minute: noted here on every request, and stored now and then. */
@Injectable()
export class KeyUses {
  private readonly collection: DocumentCollection<KeyUse>;
  /** By key id, in milliseconds since the epoch: in this process, not stored yet. */
  private noted = new Map<string, number>();

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ApiKeys) private readonly keys?: Pick<ApiKeys, 'get'>,
  ) {
    this.collection = documents.collection<KeyUse>({
      name: 'key_uses',
      data: { what: 'when a key was last used', purpose: 'to find unused keys', kept: 'with the account' },
      indexes: [],
    });
  }

  note(keyId: string): void {
    this.noted.set(keyId, this.clock.now().getTime());
  }

  /** RFC 3339; undefined of a key that was never used. */
  async lastUse(keyId: string): Promise<string | undefined> {
    const noted = this.noted.get(keyId);
    const here = noted === undefined ? undefined : new Date(noted).toISOString();
    const stored = (await this.collection.get(keyId))?.document.lastUsedAt;
    return [here, stored].filter((time) => time !== undefined).toSorted().at(-1);
  }

  /** Uses that cannot be stored now are kept for the next time. */
  async store(): Promise<void> {
    const uses = [...this.noted];
    this.noted = new Map();
    let stored = 0;
    try {
      for (; stored < uses.length; stored += TOGETHER) await Promise.all(uses.slice(stored, stored + TOGETHER).map((use) => this.storeUse(use)));
    } catch (error) {
      for (const [keyId, time] of uses.slice(stored)) if (!this.noted.has(keyId)) this.noted.set(keyId, time);
      throw error;
    }
  }

  /** Removes keys that ended long ago, and what is known of their use. */
  async sweep(keys: Pick<ApiKeys, 'sweepEnded'>): Promise<void> {
    for (const id of await keys.sweepEnded()) await this.forget(id);
  }

  /** A key that was removed since gets no document. */
  private async storeUse([id, usedMs]: [string, number]): Promise<void> {
    if (this.keys && !(await this.collection.get(id)) && !(await this.keys.get(id))) return;
    const lastUsedAt = new Date(usedMs).toISOString();
    await this.collection.update(id, (current) => (current && current.lastUsedAt >= lastUsedAt ? undefined : { document: { id, createdAt: current?.createdAt ?? lastUsedAt, lastUsedAt } }));
  }

  /** Drops the uses of a deleted key. */
  async forget(keyId: string): Promise<void> {
    this.noted.delete(keyId);
    await this.collection.remove(keyId);
  }
}
