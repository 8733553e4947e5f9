import type { webcrypto } from 'node:crypto';
import { AppError, toAppError, type Clock } from '@parlance/platform';
import { MEDIA_KEYS_OWNER, type DataKeys, type DocumentCollection, type DocumentDatabase } from '@parlance/storage';
import type { AgeIdentities } from './age-file.js';
import { holderOf, mediaKeyPairs, privateKeyOf, recipientOf, type MediaKeyPair } from './media-key-pair.js';

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;

export interface MediaKeySettings {
  /** Days after which a new key takes the place of the newest; 0: only a command makes one. */
  MEDIA_KEY_DAYS: number;
  /** Hours that recordings which were encrypted to the key before are accepted. */
  MEDIA_KEY_ACCEPTED_HOURS: number;
  MEDIA_KEY_SECRET?: string | undefined;
}

/** A key that clients may encrypt to. */
export interface OfferedKey {
  id: string;
  recipient: string;
  createdAt: Date;
  /** As planned now; a rotation by command ends it earlier. Undefined when no end is planned. */
  acceptedUntil: Date | undefined;
}

interface MediaKeyRingParts {
  documents: DocumentDatabase;
  /** Undefined where encryption at rest is off: then there are no media keys. */
  keys: DataKeys | undefined;
  clock: Clock;
  settings: MediaKeySettings;
}

/**
 * The key pairs that clients encrypt recordings to. The newest is for new recordings; each ends to be accepted some time after the
 * next one was made. Every process may rotate: two that do so at once make one key.
 */
export class MediaKeyRing {
  private readonly pairs: DocumentCollection<MediaKeyPair>;

  constructor(private readonly parts: MediaKeyRingParts) {
    this.pairs = parts.documents.collection(mediaKeyPairs);
  }

  /** False where encryption at rest is off. */
  get isAvailable(): boolean {
    return this.parts.keys !== undefined;
  }

  /** The keys that are accepted now, the newest first. The first is made when there is none. @throws AppError not_supported without keys, keys_unavailable, also for another MEDIA_KEY_SECRET */
  async offered(): Promise<OfferedKey[]> {
    this.requireKeys();
    const now = this.parts.clock.now();
    const stored = await this.all();
    const kept: MediaKeyPair[] = [];
    for (const pair of stored) if (await this.privateKey(pair)) kept.push(pair);
    const pairs = kept[0] && !this.isOld(kept[0]) ? kept : [await this.add(stored[0]?.number ?? 0), ...kept];
    const keys = pairs.map(({ id, recipient, createdAt }, index) => ({ id, recipient, createdAt: new Date(createdAt), acceptedUntil: this.acceptedUntil(createdAt, pairs[index - 1]) }));
    return keys.filter(({ acceptedUntil }) => !acceptedUntil || acceptedUntil > now);
  }

  /** The private keys for a recording of a job that was created at this time. @throws AppError keys_unavailable */
  async identities(createdAt: Date): Promise<AgeIdentities> {
    const accepted: webcrypto.CryptoKey[] = [];
    const retired: webcrypto.CryptoKey[] = [];
    const pairs = this.parts.keys ? await this.all() : [];
    for (const [index, pair] of pairs.entries()) {
      const key = await this.privateKey(pair);
      const end = this.endOf(pairs[index - 1]);
      if (key) (end && end <= createdAt ? retired : accepted).push(key);
    }
    return { accepted, retired };
  }

  /** Makes the next key. @returns it, or that of another process that was faster */
  async rotate(): Promise<MediaKeyPair> {
    this.requireKeys();
    return this.add((await this.all())[0]?.number ?? 0);
  }

  /** True when the newest key is as old as a key may be. */
  async isRotationDue(): Promise<boolean> {
    const newest = (await this.all())[0];
    return newest !== undefined && this.isOld(newest);
  }

  /** The keys that are not accepted any more, each with the time when it ended to be. */
  async ended(): Promise<{ pair: MediaKeyPair; endedAt: Date }[]> {
    const now = this.parts.clock.now();
    const pairs = await this.all();
    return pairs.flatMap((pair, index) => {
      const endedAt = this.endOf(pairs[index - 1]);
      return endedAt && endedAt <= now ? [{ pair, endedAt }] : [];
    });
  }

  /** Destroys the private key for good: nothing that was encrypted to it alone can be opened again. It can be repeated. */
  async destroy({ id }: Pick<MediaKeyPair, 'id'>): Promise<void> {
    await this.requireKeys().destroy(MEDIA_KEYS_OWNER, id);
    await this.pairs.remove(id);
  }

  /** The newest first. */
  async all(): Promise<MediaKeyPair[]> {
    const pairs: MediaKeyPair[] = [];
    for await (const { document } of this.pairs.all()) pairs.push(document);
    return pairs.toSorted((one, other) => other.number - one.number);
  }

  /** A number whose key was destroyed is passed over: a backup may have brought its document back, or that of the number before. */
  private async add(after: number): Promise<MediaKeyPair> {
    const keys = this.requireKeys();
    for (let number = after + 1; ; number += 1) {
      const id = holderOf(number);
      const key = await keys.of(MEDIA_KEYS_OWNER, id).catch(unlessDestroyed);
      if (!key) continue;
      const pair = { id, number, createdAt: this.parts.clock.now().toISOString(), recipient: await recipientOf(await privateKeyOf(key, this.parts.settings.MEDIA_KEY_SECRET)) };
      await this.pairs.insertIfAbsent(pair);
      return (await this.pairs.get(id))?.document ?? pair;
    }
  }

  /** A recipient that does not belong to the private key was changed in the database, or needs another secret: it is neither offered nor used. */
  private async privateKey({ id, recipient }: MediaKeyPair): Promise<webcrypto.CryptoKey | undefined> {
    const key = await this.requireKeys().find(MEDIA_KEYS_OWNER, id).catch(unlessDestroyed);
    if (!key) return undefined;
    const privateKey = await privateKeyOf(key, this.parts.settings.MEDIA_KEY_SECRET);
    if ((await recipientOf(privateKey)) === recipient) return privateKey;
    throw new AppError({ code: 'keys_unavailable', message: `The media key ${id} needs another MEDIA_KEY_SECRET, or was changed.` });
  }

  private isOld({ createdAt }: MediaKeyPair): boolean {
    const { MEDIA_KEY_DAYS } = this.parts.settings;
    return MEDIA_KEY_DAYS > 0 && Date.parse(createdAt) + MEDIA_KEY_DAYS * DAY_MS <= this.parts.clock.now().getTime();
  }

  private acceptedUntil(createdAt: string, next: MediaKeyPair | undefined): Date | undefined {
    const { MEDIA_KEY_DAYS, MEDIA_KEY_ACCEPTED_HOURS } = this.parts.settings;
    if (next || MEDIA_KEY_DAYS === 0) return this.endOf(next);
    return new Date(Date.parse(createdAt) + MEDIA_KEY_DAYS * DAY_MS + MEDIA_KEY_ACCEPTED_HOURS * HOUR_MS);
  }

  /** When a key ends to be accepted that another one took the place of. */
  private endOf(next: MediaKeyPair | undefined): Date | undefined {
    return next && new Date(Date.parse(next.createdAt) + this.parts.settings.MEDIA_KEY_ACCEPTED_HOURS * HOUR_MS);
  }

  private requireKeys(): DataKeys {
    const { keys } = this.parts;
    if (!keys) throw new AppError({ kind: 'invalid', code: 'not_supported', message: 'This server has no KEY_PROVIDER, so it has no media keys.' });
    return keys;
  }
}

const unlessDestroyed = (error: unknown): undefined => {
  if (toAppError(error).code !== 'key_destroyed') throw error;
};
