/** A 256-bit key that seals what belongs to one job, one upload or one account. */
export interface DataKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * The port to the keys that seal stored data. Holders are jobs and uploads by their id, and the account itself by the
 * empty string. A clear key is only in the memory of the process that uses it, for five minutes at most.
 */
export interface DataKeys {
  /**
   * The key of the holder, made when there is none yet. Processes that call it at once get the same key.
   *
   * @throws AppError `not_found/key_destroyed`, `unavailable/keys_unavailable`
   */
  of(accountId: string, holder: string): Promise<DataKey>;
  /**
   * The key of the holder if there is one.
   *
   * @throws AppError `not_found/key_destroyed`, `unavailable/keys_unavailable`
   */
  find(accountId: string, holder: string): Promise<DataKey | undefined>;
  /** Destroys the key for good: nothing it sealed can be read again, nor from a backup. It can be repeated. */
  destroy(accountId: string, holder: string): Promise<void>;
}
