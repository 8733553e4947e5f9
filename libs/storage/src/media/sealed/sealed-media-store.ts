import { toAppError } from '@parlance/platform';
import { unlessDestroyed, type SealStoredOptions } from '../../documents/sealed/seal-stored.js';
import type { DataKeys } from '../../keys/data-keys.js';
import { randomNonce } from '../../keys/random-nonce.js';
import type { DirectParts } from '../direct-parts.js';
import { MeasuredBody } from '../measured-body.js';
import { assertMediaFolder, assertMediaPrefix } from '../media-key.js';
import type { MediaStore, PutOptions, PutResult, ReadRange, StoredObject } from '../media-store.js';
import type { AppendOptions, PartialObject } from '../partial-object.js';
import { readObject } from '../read-object.js';
import { BlockOpener, sealedRange, type CandidateKeys } from './block-opener.js';
import { BlockSealer } from './block-sealer.js';
import { existingKey, OBJECT_ID_BYTES, objectKey, ownerOf, unwrapObjectKey, wrapObjectKey } from './object-keys.js';
import { clearSize, sealedSize } from './sealed-layout.js';
import { asListed, assertSealableKey, bodyName, copyKeyName, isCopyKeyOf, isOwnName } from './sealed-names.js';
import { isSealedPartial, SealedPartials } from './sealed-partials.js';

/** Keys below the folder `sealed` of a job. */
const MARKED = /^[^/]+\/[^/]+\/sealed\//;

interface SealingOptions {
  /** Seals new objects only below the folder `sealed` of a job, whose callers ask for it by the name. Sealed objects are read all the same. */
  onlyMarked?: boolean;
}

/**
 * Seals the objects of another store, each with a key of its own that is derived from its holder's key. Objects that were stored
 * in clear before, and those whose parts clients send to the store directly, stay readable as they are.
 */
export class SealedMediaStore implements MediaStore {
  readonly direct?: DirectParts;
  private readonly partials: SealedPartials;
  private readonly onlyMarked: boolean;
  /** The objects of the store below, by what `head` answered of them: a read that follows need not look for both forms again. */
  private readonly bodies = new WeakMap<StoredObject, StoredObject>();

  constructor(
    private readonly inner: MediaStore,
    private readonly keys: DataKeys,
    { onlyMarked = false }: SealingOptions = {},
  ) {
    this.onlyMarked = onlyMarked;
    if (inner.direct) this.direct = inner.direct;
    this.partials = new SealedPartials(inner, keys, (key) => this.head(key));
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutResult> {
    assertSealableKey(key);
    const isSealed = this.seals(key);
    const result = isSealed ? await this.putSealed(key, body, options) : await this.inner.put(key, body, options);
    await (isSealed ? this.removeClear(key) : this.uncover(key));
    return result;
  }

  private async putSealed(key: string, body: AsyncIterable<Uint8Array>, { maxBytes = Infinity, expectedBytes = 0, withoutDigest, signal }: PutOptions): Promise<PutResult> {
    signal?.throwIfAborted();
    const { accountId, holder } = ownerOf(key);
    const objectId = randomNonce(OBJECT_ID_BYTES);
    const sealer = new BlockSealer(objectKey(await this.keys.of(accountId, holder), objectId, key), objectId);
    const measured = new MeasuredBody(body, maxBytes, withoutDigest);
    await this.inner.put(bodyName(key), sealer.sealWhole(measured.chunks()), { withoutDigest: true, expectedBytes: sealedSize(Math.min(expectedBytes, maxBytes)), ...(signal && { signal }) });
    return measured.result();
  }

  async get(key: string, { found, ...range }: ReadRange = {}): Promise<AsyncIterable<Uint8Array>> {
    assertSealableKey(key);
    const known = (found && this.bodies.get(found)) ?? (await this.inner.head(bodyName(key)));
    try {
      return await this.read(key, known, range);
    } catch (error) {
      // An object of the other form may have taken its place since it was looked for.
      const body = toAppError(error).code === 'not_found' ? await this.bodyOf(key) : undefined;
      if (!body) throw error;
      return this.read(key, body, range);
    }
  }

  /** @param body undefined when no sealed object was found */
  private async read(key: string, body: StoredObject | undefined, { start = 0, end: endOfRange = Infinity }: ReadRange): Promise<AsyncIterable<Uint8Array>> {
    if (body?.key !== bodyName(key)) return this.inner.get(key, { start, end: endOfRange, ...(body && { found: body }) });
    const size = clearSize(body.sizeBytes);
    const end = Math.min(endOfRange, size);
    // An object that was cut off may look empty.
    if (size === 0) await this.openKey(key, body);
    if (start >= end) return nothing();
    const candidates = await this.candidatesOf(key);
    const sealed = await this.inner.get(body.key, { ...sealedRange({ start, end }, body.sizeBytes), found: body });
    return new BlockOpener(body.sizeBytes, candidates).open(sealed, { start, end });
  }

  async head(key: string): Promise<StoredObject | undefined> {
    assertSealableKey(key);
    const body = await this.bodyOf(key);
    if (!body) return undefined;
    const found = { key, sizeBytes: body.key === key ? body.sizeBytes : clearSize(body.sizeBytes) };
    this.bodies.set(found, body);
    return found;
  }

  /** The object of the store below, sealed or in clear. */
  private async bodyOf(key: string): Promise<StoredObject | undefined> {
    return (await this.inner.head(bodyName(key))) ?? this.inner.head(key);
  }

  async begin(key: string, expectedBytes = 0): Promise<PartialObject> {
    assertSealableKey(key);
    if (!this.seals(key)) return this.inner.begin(key, expectedBytes);
    const { accountId, holder } = ownerOf(key);
    await this.keys.of(accountId, holder);
    return this.partials.begin(key, expectedBytes);
  }

  append(partial: PartialObject, body: AsyncIterable<Uint8Array>, options: AppendOptions): Promise<PartialObject> {
    return isSealedPartial(partial) ? this.partials.append(partial, body, options) : this.inner.append(partial, body, options);
  }

  async finish(partial: PartialObject): Promise<StoredObject> {
    const isSealed = isSealedPartial(partial);
    const finished = isSealed ? await this.partials.finish(partial) : await this.inner.finish(partial);
    await (isSealed ? this.removeClear(partial.key) : this.uncover(partial.key));
    return finished;
  }

  /** The copy has the same bytes, and the key of the object sealed for its own holder. What is stored in clear stays so. */
  async copy(from: string, to: string): Promise<StoredObject> {
    assertSealableKey(from);
    assertSealableKey(to);
    const body = await this.inner.head(bodyName(from));
    if (!body) return this.copyClear(from, to);
    const { objectId, clearKey } = await this.openKey(from, body);
    const { accountId, holder } = ownerOf(to);
    const wrapped = wrapObjectKey(await this.keys.of(accountId, holder), objectId, to, clearKey);
    // Before the bytes: what is found can be opened.
    await this.inner.put(copyKeyName(to, objectId), one(wrapped));
    await this.inner.copy(body.key, bodyName(to));
    await this.removeClear(to);
    return { key: to, sizeBytes: clearSize(body.sizeBytes) };
  }

  list(prefix: string): AsyncIterable<StoredObject> {
    assertMediaPrefix(prefix);
    return this.listed(prefix);
  }

  async remove(key: string): Promise<boolean> {
    assertSealableKey(key);
    const names = [key, bodyName(key)];
    for await (const { key: name } of this.inner.list(bodyName(key))) if (isCopyKeyOf(key, name)) names.push(name);
    let existed = false;
    // The object in clear goes first: it must not appear again from behind a sealed object that replaced it.
    for (const name of names) if (await this.inner.head(name)) existed = (await this.inner.remove(name)) || existed;
    return existed;
  }

  async removePrefix(prefix: string): Promise<number> {
    assertMediaFolder(prefix);
    let removed = 0;
    for await (const _ of this.listed(prefix)) removed += 1;
    await this.inner.removePrefix(prefix);
    return removed;
  }

  /**
   * Seals the objects that are stored in clear, one after the other, and removes them in clear. Killed, it is repeated. No process
   * may write or remove media meanwhile. Those whose key was destroyed are remains of an erasure, and stay.
   */
  async *sealStored({ dryRun = false }: SealStoredOptions = {}): AsyncGenerator<StoredObject & { isSealed: boolean }> {
    for await (const object of this.inner.list('')) {
      if (!isOwnName(object.key)) yield { ...object, isSealed: dryRun || (await this.sealObject(object)) };
    }
  }

  private async sealObject({ key, sizeBytes }: StoredObject): Promise<boolean> {
    // Sealed by a run that was killed before it removed the object in clear, which nothing reads any more.
    const isSealed = (await this.inner.head(bodyName(key))) !== undefined || (await this.putSealed(key, opened(this.inner, key), { expectedBytes: sizeBytes, withoutDigest: true }).catch(unlessDestroyed)) !== undefined;
    return isSealed && this.inner.remove(key);
  }

  check(): Promise<void> {
    return this.inner.check();
  }

  private async *listed(prefix: string): AsyncGenerator<StoredObject> {
    let found: StoredObject | undefined;
    for await (const object of this.inner.list(prefix)) {
      const next = asListed(object);
      if (!next?.key.startsWith(prefix)) continue;
      // A sealed object comes right behind the clear one that it replaced.
      if (found && found.key !== next.key) yield found;
      found = next;
    }
    if (found) yield found;
  }

  private async copyClear(from: string, to: string): Promise<StoredObject> {
    const copied = await this.inner.copy(from, to);
    await this.uncover(to);
    return copied;
  }

  private seals(key: string): boolean {
    return !this.onlyMarked || MARKED.test(key);
  }

  /** Removes the object in clear that a sealed one has replaced. */
  private async removeClear(key: string): Promise<void> {
    if (await this.inner.head(key)) await this.inner.remove(key);
  }

  /** Removes the sealed object that would hide the one in clear that has replaced it. */
  private async uncover(key: string): Promise<void> {
    if (await this.inner.head(bodyName(key))) await this.inner.remove(bodyName(key));
  }

  /** @throws AppError key_destroyed, keys_unavailable */
  private async candidatesOf(key: string): Promise<CandidateKeys> {
    const holderKey = await existingKey(this.keys, key);
    const { inner } = this;
    return async function* (objectId) {
      yield objectKey(holderKey, objectId, key);
      const wrapped = await readObject(inner, copyKeyName(key, objectId)).catch(unlessNotFound);
      const unwrapped = wrapped && unwrapObjectKey(holderKey, objectId, key, wrapped);
      if (unwrapped) yield unwrapped;
    };
  }

  /** Opens the first bytes of the object, which proves the key. */
  private async openKey(key: string, body: StoredObject): Promise<{ objectId: Uint8Array; clearKey: Uint8Array }> {
    const opener = new BlockOpener(body.sizeBytes, await this.candidatesOf(key));
    const range = { start: 0, end: 1 };
    for await (const _ of opener.open(await this.inner.get(body.key, { ...sealedRange(range, body.sizeBytes), found: body }), range));
    return opener.identity();
  }
}

const unlessNotFound = (error: unknown): undefined => {
  if (toAppError(error).code !== 'not_found') throw error;
};

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The object, which is opened when it is read: a response that is not read holds a connection. */
async function* opened(store: Pick<MediaStore, 'get'>, key: string): AsyncGenerator<Uint8Array> {
  yield* await store.get(key);
}
