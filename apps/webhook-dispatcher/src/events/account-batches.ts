import { toAppError } from '@parlance/platform';

/** Items that are written at once. */
const BATCH = 256;

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  item: Item;
}

/**
 * Writes to the order of an account, one batch after the other within this process: items that are added while a batch is
 * written go into the next one. Other accounts are written beside it.
 */
export class AccountBatches<Item, Result> {
  /** The items that wait, by account, while a batch of the account is written. */
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();

  /** @param write returns the result of each item */
  constructor(private readonly write: (accountId: string, items: readonly Item[]) => Promise<Result[]>) {}

  add(accountId: string, item: Item): Promise<Result> {
    const added = { item, ...Promise.withResolvers<Result>() };
    const waiting = this.waiting.get(accountId);
    if (waiting) waiting.push(added);
    else void this.writeAll(accountId, [added]);
    return added.promise;
  }

  private async writeAll(accountId: string, waiting: Waiting<Item, Result>[]): Promise<void> {
    this.waiting.set(accountId, waiting);
    while (waiting.length > 0) {
      // Items that are added in the same turn of the event loop go into the same batch.
      await new Promise((resolve) => setImmediate(resolve));
      await this.writeBatch(accountId, waiting.splice(0, BATCH));
    }
    this.waiting.delete(accountId);
  }

  private async writeBatch(accountId: string, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.write(accountId, batch.map(({ item }) => item));
      batch.forEach(({ resolve }, nth) => resolve(results[nth] as Result));
    } catch (error) {
      // The fault may be one item's, which fails alone then.
      if (batch.length > 1 && !toAppError(error).retryable) for (const each of batch) await this.writeBatch(accountId, [each]);
      else batch.forEach(({ reject }) => reject(error));
    }
  }
}
