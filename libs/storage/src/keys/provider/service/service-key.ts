/** A key that a service has encrypted. */
export interface EncryptedKey {
  /** Characters of base64, "." and "=". */
  ciphertext: string;
  /** The version of the master key that encrypted it, where the service names it: letters, digits, "_" and "-". */
  version?: string | undefined;
}

export interface DecryptedKey {
  key: Buffer;
  /** The version of the master key that had encrypted it, where the service names it. */
  version?: string | undefined;
}

/** A kind of call to a service. */
export type KeyOperation = 'encrypt' | 'decrypt' | 'read' | 'rotate';

/**
 * Why a call failed.
 * - `away`: no answer, or the service fails; another try may succeed
 * - `busy`: the service limits the rate of calls; another try may succeed
 * - `forbidden`: the credentials are missing, refused, or lack a permission
 * - `no_key`: the key does not exist, is disabled, or is of a kind that cannot encrypt
 * - `not_wrapped`: this key did not encrypt the ciphertext, or not for this context
 */
export type KeyFault = 'away' | 'busy' | 'forbidden' | 'no_key' | 'not_wrapped';

/**
 * The master key in one key-management service. Each method makes calls over the network and ends when `signal` aborts.
 * Errors are those of the service's client; `faultOf` says what they mean.
 */
export interface ServiceKey {
  /** The scheme of KEY_PROVIDER, without the colon. */
  readonly scheme: string;
  /** Names the place of the key, and holds no secret. */
  readonly name: string;
  /** Encrypts 256 bits under the newest version. @param context is authenticated */
  encrypt(key: Buffer, context: string, signal: AbortSignal): Promise<EncryptedKey>;
  decrypt(encrypted: Required<EncryptedKey>, context: string, signal: AbortSignal): Promise<DecryptedKey>;
  newestVersion(signal: AbortSignal): Promise<string>;
  /** Makes a new version, and returns when `encrypt` uses it. */
  rotate(signal: AbortSignal): Promise<void>;
  faultOf(error: unknown, operation: KeyOperation): KeyFault;
}
