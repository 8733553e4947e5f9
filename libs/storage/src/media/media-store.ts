export interface StoredObject {
  key: string;
  sizeBytes: number;
}

export interface PutResult {
  sizeBytes: number;
  /** Lower-case hexadecimal, of the bytes as given. */
  sha256: string;
}

/** Large binary objects by key: `<account>/<job>/…`; keys are segments of [A-Za-z0-9._-] joined by '/'. */
export interface MediaStore {
  /**
   * Streams the body in; the object is there whole or not at all, and an older one under the key is replaced at once.
   * @throws AppError too_large (`maxBytes` passed), storage_full; an error of the body or the abort reason is thrown on.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<PutResult>;
  /** The bytes from `start` (default 0) to before `end` (default: all). @throws AppError not_found, before the first byte. */
  get(key: string, range?: { start?: number; end?: number }): Promise<AsyncIterable<Uint8Array>>;
  head(key: string): Promise<StoredObject | undefined>;
  /** In the order of keys. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** @returns whether it existed. */
  remove(key: string): Promise<boolean>;
  /** Everything below the prefix (which ends in '/'), unfinished uploads included; @returns how many objects. */
  removePrefix(prefix: string): Promise<number>;
  check(): Promise<void>;
}
