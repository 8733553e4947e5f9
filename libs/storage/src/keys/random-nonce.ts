import { randomFillSync } from 'node:crypto';

/** Nonces of 170 sealed texts, or of 52 media objects. */
const POOL_BYTES = 2048;

const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Random bytes that need not be secret, such as nonces and salts. A call of the generator takes about as long
 * for a dozen bytes as for two thousand, so one call serves many nonces. No byte is returned twice.
 *
 * @param length in bytes @throws RangeError when it is more than the generator is asked for at a time
 */
export function randomNonce(length: number): Buffer {
  if (length > POOL_BYTES) throw new RangeError(`A nonce has at most ${POOL_BYTES} bytes.`);
  if (used + length > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const from = used;
  used += length;
  return Buffer.from(pool.subarray(from, used));
}
