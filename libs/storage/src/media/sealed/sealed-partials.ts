import { randomBytes } from 'node:crypto';
import { AppError, toAppError } from '@parlance/platform';
import type { DataKeys } from '../../keys/data-keys.js';
import { tooLarge } from '../measured-body.js';
import type { MediaStore, StoredObject } from '../media-store.js';
import type { AppendOptions, PartialObject } from '../partial-object.js';
import { readObject } from '../read-object.js';
import { BlockOpener } from './block-opener.js';
import { BlockSealer } from './block-sealer.js';
import { ByteQueue } from './byte-queue.js';
import { existingKey, OBJECT_ID_BYTES, objectKey } from './object-keys.js';
import { BLOCK_BYTES, CLEAR_BLOCK_BYTES, sealedSize } from './sealed-layout.js';
import { bodyName, isHidden, tailName, tailPrefix } from './sealed-names.js';

type SealedPartial = PartialObject & Required<Pick<PartialObject, 'sealed'>>;

export const isSealedPartial = (partial: PartialObject): partial is SealedPartial => partial.sealed !== undefined;

/**
 * Sealed objects that arrive in pieces. Only full blocks are appended to the object below. The bytes behind them are kept as an
 * object of their own, sealed as the last block: `finish` appends that as it is, and the next append seals its bytes again, in a
 * block with a salt of its own. So an append that was interrupted, or done twice, uses no salt again.
 */
export class SealedPartials {
  constructor(
    private readonly inner: MediaStore,
    private readonly keys: DataKeys,
    private readonly head: (key: string) => Promise<StoredObject | undefined>,
  ) {}

  async begin(key: string, expectedBytes: number): Promise<PartialObject> {
    const begun = await this.inner.begin(bodyName(key), sealedSize(expectedBytes));
    return { ...begun, key, sealed: { objectId: randomBytes(OBJECT_ID_BYTES).toString('hex'), blocks: 0 } };
  }

  async append(partial: SealedPartial, body: AsyncIterable<Uint8Array>, options: AppendOptions): Promise<PartialObject> {
    return new SealedAppend(this.inner, await this.keyOf(partial), partial, options).run(body);
  }

  async finish(partial: SealedPartial): Promise<StoredObject> {
    const { key, sizeBytes } = partial;
    try {
      await this.complete(partial);
    } catch (error) {
      // An earlier call may have finished it, and its answer may be lost.
      if (!isRemoved(error) || (await this.head(key))?.sizeBytes !== sizeBytes) throw asRemoved(error);
    }
    // Also tails of appends that were interrupted.
    for await (const { key: name } of this.inner.list(tailPrefix(key))) if (isHidden(name)) await this.inner.remove(name);
    return { key, sizeBytes };
  }

  /** The tail is copied as it was sealed, so that two processes that do this at once write the same bytes. */
  private async complete(partial: SealedPartial): Promise<void> {
    const { tail, blocks, objectId } = partial.sealed;
    const last = tail ? await readObject(this.inner, tail.key) : new BlockSealer(await this.keyOf(partial), Buffer.from(objectId, 'hex')).seal(blocks, new ByteQueue(), true);
    const whole = await this.inner.append(below(partial), one(last), { maxBytes: (blocks + 1) * BLOCK_BYTES });
    await this.inner.finish(whole);
  }

  private async keyOf({ key, sealed }: SealedPartial): Promise<Buffer> {
    return objectKey(await existingKey(this.keys, key), Buffer.from(sealed.objectId, 'hex'), key);
  }
}

/** One append. */
class SealedAppend {
  private readonly sealer: BlockSealer;
  private readonly waiting = new ByteQueue();
  private durable: SealedPartial;
  private receivedBytes: number;
  private blocks: number;
  /** True while the body is waited for: an error is then the body's, and not the store's. */
  private isWithBody = true;

  constructor(
    private readonly inner: MediaStore,
    private readonly key: Buffer,
    private readonly partial: SealedPartial,
    private readonly options: AppendOptions,
  ) {
    this.sealer = new BlockSealer(key, Buffer.from(partial.sealed.objectId, 'hex'));
    this.durable = partial;
    this.receivedBytes = partial.sizeBytes;
    this.blocks = partial.sealed.blocks;
  }

  async run(body: AsyncIterable<Uint8Array>): Promise<PartialObject> {
    const { maxBytes, signal, onStored } = this.options;
    try {
      const stored = await this.inner.append(below(this.partial), this.fullBlocks(body), {
        maxBytes: sealedSize(maxBytes),
        ...(signal && { signal }),
        ...(onStored && { onStored: (next) => this.store(this.above(next)) }),
      });
      if (!onStored) this.durable = this.above(stored);
      await this.storeTail();
      return this.durable;
    } catch (error) {
      if (onStored && this.isWithBody && this.durable.sealed.blocks === this.blocks) await this.storeTail();
      throw error;
    }
  }

  /** Only what has more behind it is a full block: the last bytes always stay for the tail. */
  private async *fullBlocks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    await this.takeTail();
    for await (const bytes of body) {
      if (this.receivedBytes + bytes.byteLength > this.options.maxBytes) throw tooLarge(this.options.maxBytes);
      this.receivedBytes += bytes.byteLength;
      this.waiting.add(bytes);
      this.isWithBody = false;
      while (this.waiting.size > CLEAR_BLOCK_BYTES) yield this.sealer.seal(this.blocks++, this.waiting, false);
      this.isWithBody = true;
    }
    this.isWithBody = false;
  }

  private async takeTail(): Promise<void> {
    const { tail, blocks } = this.partial.sealed;
    if (!tail) return;
    const sealed = await readObject(this.inner, tail.key).catch((error: unknown) => Promise.reject(asRemoved(error)));
    const opener = new BlockOpener(blocks * BLOCK_BYTES + sealed.byteLength, () => one(this.key));
    const range = { start: blocks * CLEAR_BLOCK_BYTES, end: this.partial.sizeBytes };
    for await (const clear of opener.open(one(sealed), range)) this.waiting.add(clear);
  }

  private async storeTail(): Promise<void> {
    if (this.receivedBytes === this.durable.sizeBytes) return;
    const tail = { key: tailName(this.partial.key), sizeBytes: this.waiting.size };
    await this.inner.put(tail.key, one(this.sealer.seal(this.blocks, this.waiting, true)));
    await this.store({ ...this.durable, sizeBytes: this.receivedBytes, sealed: { objectId: this.partial.sealed.objectId, blocks: this.blocks, tail } });
  }

  private async store(next: SealedPartial): Promise<void> {
    const before = this.durable.sealed.tail;
    await this.options.onStored?.(next);
    this.durable = next;
    // Without a report, the caller still has the state that needs it.
    if (before && this.options.onStored && before.key !== next.sealed.tail?.key) await this.inner.remove(before.key).catch(() => undefined);
  }

  /** The state of the object below as one of this store. Once there is a further block, the tail is in it. */
  private above(next: PartialObject): SealedPartial {
    const blocks = next.sizeBytes / BLOCK_BYTES;
    const { key, sizeBytes, sealed } = this.partial;
    if (blocks === sealed.blocks) return { ...next, key, sizeBytes, sealed };
    return { ...next, key, sizeBytes: blocks * CLEAR_BLOCK_BYTES, sealed: { objectId: sealed.objectId, blocks } };
  }
}

/** The state of the object below. */
function below({ sealed, ...partial }: SealedPartial): PartialObject {
  return { ...partial, key: bodyName(partial.key), sizeBytes: sealed.blocks * BLOCK_BYTES };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const isRemoved = (error: unknown): boolean => ['upload_removed', 'not_found'].includes(toAppError(error).code);

const asRemoved = (error: unknown): unknown =>
  toAppError(error).code === 'not_found' ? new AppError({ kind: 'canceled', code: 'upload_removed', message: 'The upload was removed before it was complete.', cause: error }) : error;
