/**
 * A key-management service: it keeps the master key and encrypts the keys of accounts with it. Those keys are 256 bits long.
 *
 * Both calls throw AppError `unavailable/keys_unavailable`: retryable while the service is away or refuses the call, and not
 * retryable when the wrapped key was changed, is of another context, or needs a master key that the service does not have.
 */
export interface KeyProvider {
  /** Encrypts the key under the newest version of the master key. @param context what the key is for; it is authenticated */
  wrap(key: Buffer, context: string): Promise<string>;
  /** Decrypts the key, which any version of the master key may have wrapped. */
  unwrap(wrapped: string, context: string): Promise<Buffer>;
  /** True when the newest version of the master key wrapped the key. */
  isNewest(wrapped: string): Promise<boolean>;
  /** Makes a new version of the master key, which wraps from now on in every process. Older versions keep unwrapping. */
  rotate(): Promise<void>;
  /** Returns where the master key is, for messages and logs. It names no secret. */
  describe(): string;
}
