import type { DirectParts } from './direct-parts.js';
import type { AppendOptions, PartialObject } from './partial-object.js';

export interface StoredObject {
  key: string;
  sizeBytes: number;
}

export interface PutResult {
  sizeBytes: number;
  /** Lower-case hexadecimal, of the bytes as given. */
  sha256: string;
}

export interface PutOptions {
  maxBytes?: number;
  /** storage_full at once when there is not so much room, where the store is a disk of ours. A slow body holds no room. */
  expectedBytes?: number;
  /** For a caller that has no use for the digest: the one of the result is then empty. */
  withoutDigest?: true;
  signal?: AbortSignal;
}

export interface ReadRange {
  start?: number;
  end?: number;
  /** The very object that `head` of this store has just answered, not a copy of it, so that the store need not ask again. */
  found?: StoredObject;
}

/** Large binary objects by key: `<account>/<job>/…`; keys are segments of [A-Za-z0-9._-] joined by '/'. */
export interface MediaStore {
  /**
   * Streams the body in; the object is there whole or not at all, and an older one under the key is replaced at once.
   * @throws AppError too_large (`maxBytes` passed), storage_full; an error of the body or the abort reason is thrown on.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutResult>;
  /** The bytes from `start` (default 0) to before `end` (default: all). @throws AppError not_found, before the first byte. */
  get(key: string, range?: ReadRange): Promise<AsyncIterable<Uint8Array>>;
  head(key: string): Promise<StoredObject | undefined>;
  /** Begins an object that arrives in pieces; `removePrefix` ends it. @throws AppError storage_full when there is no room for `expectedBytes` */
  begin(key: string, expectedBytes?: number): Promise<PartialObject>;
  /**
   * Appends the body. Where it fails and there is `onStored`, what arrived before is kept and reported as well.
   * @returns the state to continue from. @throws AppError too_large, storage_full, canceled/upload_removed when it was removed; the error of the body or of `onStored`, the abort reason
   */
  append(partial: PartialObject, body: AsyncIterable<Uint8Array>, options: AppendOptions): Promise<PartialObject>;
  /** The object is there whole; again does nothing. @throws AppError canceled/upload_removed */
  finish(partial: PartialObject): Promise<StoredObject>;
  /** A second object with the same bytes, without moving them through this process. Each is removed without the other. @throws AppError not_found, storage_full */
  copy(from: string, to: string): Promise<StoredObject>;
  /** Takes parts of an object from clients directly; undefined where the store cannot. */
  readonly direct?: DirectParts;
  /** In the order of keys. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** @returns whether it existed. */
  remove(key: string): Promise<boolean>;
  /** Removes everything below the prefix (which ends in '/'), unfinished uploads included. @returns the number of objects */
  removePrefix(prefix: string): Promise<number>;
  check(): Promise<void>;
}
