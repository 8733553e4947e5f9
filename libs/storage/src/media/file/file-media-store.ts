import { constants } from 'node:fs';
import { access, mkdir, rm, stat, unlink } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { notFound } from '@parlance/platform';
import { assertMediaFolder, assertMediaKey, assertMediaPrefix } from '../media-key.js';
import type { MediaStore, PutOptions, PutResult, ReadRange, StoredObject } from '../media-store.js';
import type { AppendOptions, PartialObject } from '../partial-object.js';
import { DurableFolders } from './durable-folders.js';
import { removeEmptyFolders } from './empty-folders.js';
import { isMissing, unlessMissing } from './file-errors.js';
import { filesInKeyOrder } from './files-in-key-order.js';
import { FilePartials } from './file-partials.js';
import { FileUploads } from './file-uploads.js';
import { HeldRemovals } from './held-removals.js';
import { mediaFolders } from './media-snapshot.js';

const READ_BYTES = 256 * 1024;

/** Objects as files below a folder that only its owner may enter; a key is the path. */
export class FileMediaStore implements MediaStore {
  private readonly objects: string;
  private readonly uploads: FileUploads;
  private readonly partials: FilePartials;
  private readonly heldRemovals: HeldRemovals;

  private constructor(root: string) {
    const { objects, uploads, partials, held } = mediaFolders(root);
    this.objects = objects;
    const folders = new DurableFolders(objects);
    this.uploads = new FileUploads(uploads, folders);
    this.partials = new FilePartials(partials, folders);
    this.heldRemovals = new HeldRemovals(held);
  }

  /** Clears what uploads of processes that died have left. */
  static async open(folder: string): Promise<FileMediaStore> {
    const store = new FileMediaStore(resolve(folder));
    await mkdir(store.objects, { recursive: true, mode: 0o700 });
    await store.uploads.open();
    await store.partials.open();
    await store.heldRemovals.clear();
    return store;
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutResult> {
    assertMediaKey(key);
    return this.uploads.receive(key, this.pathOf(key), body, options);
  }

  async get(key: string, { start = 0, end = Infinity }: ReadRange = {}): Promise<AsyncIterable<Uint8Array>> {
    // Also when `head` has just found it: the file is opened when it is read, and one that was removed meanwhile is refused here.
    const object = await this.stored(key);
    if (!object) throw notFound('The object');
    return readRange(this.pathOf(key), start, Math.min(end, object.sizeBytes));
  }

  begin(key: string, expectedBytes = 0): Promise<PartialObject> {
    assertMediaKey(key);
    return this.partials.begin(key, expectedBytes);
  }

  append(partial: PartialObject, body: AsyncIterable<Uint8Array>, options: AppendOptions): Promise<PartialObject> {
    return this.partials.append(partial, body, options);
  }

  finish(partial: PartialObject): Promise<StoredObject> {
    return this.partials.finish(partial, this.pathOf(partial.key));
  }

  head(key: string): Promise<StoredObject | undefined> {
    return this.stored(key);
  }

  private async stored(key: string): Promise<StoredObject | undefined> {
    assertMediaKey(key);
    const found = await unlessMissing(stat(this.pathOf(key)));
    return found?.isFile() ? { key, sizeBytes: found.size } : undefined;
  }

  /** A hard link where the file system has them, so that the bytes are on the disk once. */
  async copy(from: string, to: string): Promise<StoredObject> {
    assertMediaKey(to);
    const source = await this.head(from);
    if (!source) throw notFound('The object');
    await this.uploads.copy(this.pathOf(from), to, this.pathOf(to), source.sizeBytes);
    return { key: to, sizeBytes: source.sizeBytes };
  }

  list(prefix: string): AsyncIterable<StoredObject> {
    assertMediaPrefix(prefix);
    return filesInKeyOrder(this.objects, prefix);
  }

  async remove(key: string): Promise<boolean> {
    assertMediaKey(key);
    try {
      if (!(await this.heldRemovals.take(this.pathOf(key), key))) await unlink(this.pathOf(key));
      await removeEmptyFolders(this.objects, dirname(this.pathOf(key)));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async removePrefix(prefix: string): Promise<number> {
    assertMediaFolder(prefix);
    // Uploads first: one that ends meanwhile is then among the objects, or nowhere.
    await this.uploads.abandon(prefix);
    await this.partials.abandon(prefix);
    let removed = 0;
    for await (const _ of this.list(prefix)) removed += 1;
    if (!(await this.heldRemovals.take(this.pathOf(prefix), prefix))) await rm(this.pathOf(prefix), { recursive: true, force: true, maxRetries: 3 });
    await removeEmptyFolders(this.objects, dirname(this.pathOf(prefix)));
    return removed;
  }

  async check(): Promise<void> {
    await access(this.objects, constants.R_OK | constants.W_OK | constants.X_OK);
  }

  private pathOf(key: string): string {
    return join(this.objects, key);
  }
}

/** Opens the file with the first read, so that an iteration that never begins holds nothing open. */
async function* readRange(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (start >= end) return;
  try {
    for await (const chunk of createReadStream(path, { start, end: end - 1, highWaterMark: READ_BYTES })) yield chunk as Uint8Array;
  } catch (error) {
    throw isMissing(error) ? notFound('The object') : error;
  }
}
