import { randomNonce } from '../../keys/random-nonce.js';
import { ByteQueue } from './byte-queue.js';
import { OBJECT_ID_BYTES } from './object-keys.js';
import { CLEAR_BLOCK_BYTES } from './sealed-layout.js';
import { sealStream } from './tink-segments.js';

/** The clear bytes of the block that is sealed at the moment: sealing waits for nothing, so that all sealers share the memory. */
const clearBlock = Buffer.allocUnsafeSlow(CLEAR_BLOCK_BYTES);

/** Seals the blocks of one object, each under a new salt that begins with the object's id. */
export class BlockSealer {
  constructor(
    private readonly key: Uint8Array,
    private readonly objectId: Uint8Array,
  ) {}

  /** Takes at most a full block from the queue. */
  seal(block: number, waiting: ByteQueue, isLast: boolean): Buffer {
    const salt = Buffer.concat([this.objectId, randomNonce(OBJECT_ID_BYTES)]);
    return sealStream(this.key, salt, blockData(block, isLast), waiting.takeInto(clearBlock));
  }

  /** The body as a whole object. */
  async *sealWhole(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    const waiting = new ByteQueue();
    let block = 0;
    for await (const bytes of body) {
      waiting.add(bytes);
      // Only what has more behind it is not the last block.
      while (waiting.size > CLEAR_BLOCK_BYTES) yield this.seal(block++, waiting, false);
    }
    yield this.seal(block, waiting, true);
  }
}

/** The associated data of a block: its number, and whether it is the last. */
export function blockData(block: number, isLast: boolean): Buffer {
  const data = Buffer.alloc(9);
  data.writeBigUInt64BE(BigInt(block));
  data[8] = isLast ? 1 : 0;
  return data;
}
