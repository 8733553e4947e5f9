import { AppError } from '@parlance/platform';

/** A body of 33 MiB takes some 150 MiB while it is decoded. */
const MAX_PER_ACCOUNT = 2;
const RETRY_AFTER_SECONDS = 5;

/** Limits the bodies with a file in them that this process holds in memory for an account. */
export class JsonBodyPlaces {
  private readonly taken = new Map<string, number>();

  /** @returns to be called once when the body is not held any more. @throws AppError rate_limited */
  take(accountId: string): () => void {
    const count = this.taken.get(accountId) ?? 0;
    if (count >= MAX_PER_ACCOUNT) throw new AppError({ kind: 'rate_limited', code: 'rate_limited', message: `An account can send ${MAX_PER_ACCOUNT} files in JSON at the same time. Send further ones as forms (multipart/form-data), or later.`, retryable: true, retryAfter: RETRY_AFTER_SECONDS });
    this.taken.set(accountId, count + 1);
    return () => this.release(accountId);
  }

  private release(accountId: string): void {
    const left = (this.taken.get(accountId) ?? 1) - 1;
    if (left === 0) this.taken.delete(accountId);
    else this.taken.set(accountId, left);
  }
}
