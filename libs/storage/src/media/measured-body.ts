import { createHash, type Hash } from 'node:crypto';
import { AppError } from '@parlance/platform';
import type { PutResult } from './media-store.js';

/** A body with its size and digest taken on the way, and its own error kept apart from those of the way. */
export class MeasuredBody {
  private readonly hash: Hash | undefined;
  private sizeBytes = 0;
  private failed: { error: unknown } | undefined;

  constructor(
    private readonly body: AsyncIterable<Uint8Array>,
    private readonly maxBytes: number,
    withoutDigest = false,
  ) {
    if (!withoutDigest) this.hash = createHash('sha256');
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    // An error thrown at the yield comes from the reader that gives up.
    let isWithReader = false;
    try {
      for await (const chunk of this.body) {
        this.sizeBytes += chunk.byteLength;
        if (this.sizeBytes > this.maxBytes) throw tooLarge(this.maxBytes);
        this.hash?.update(chunk);
        isWithReader = true;
        yield chunk;
        isWithReader = false;
      }
    } catch (error) {
      if (!isWithReader) this.failed = { error };
      throw error;
    }
  }

  /** The error of the body, its bound or its abort; undefined when it came to its end, or is not yet there. */
  get failure(): { error: unknown } | undefined {
    return this.failed;
  }

  /** After the end. */
  result(): PutResult {
    return { sizeBytes: this.sizeBytes, sha256: this.hash?.digest('hex') ?? '' };
  }
}

export const tooLarge = (maxBytes: number) =>
  new AppError({ kind: 'too_large', code: 'too_large', message: `The object is larger than ${maxBytes} bytes.` });
