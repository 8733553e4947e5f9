import { toAppError } from '@parlance/platform';

/** Written at once. */
const BATCH = 256;

/** @returns what became of each item */
export type WriteBatch<Item, Result> = (accountId: string, items: readonly Item[]) => Promise<Result[]>;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes to the order of an account, one batch after the other within this process: what comes while a batch is written goes
 * into the next one. Other accounts are written beside it.
 */
export class AccountTurns<Item, Result> {
  /** The items that wait, by account, while a batch of the account is written. */
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();

  constructor(private readonly write: WriteBatch<Item, Result>) {}

  run(accountId: string, item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const waiting = this.waiting.get(accountId) ?? [];
      waiting.push({ item, resolve, reject });
      if (this.waiting.has(accountId)) return;
      this.waiting.set(accountId, waiting);
      void this.writeAll(accountId, waiting);
    });
  }

  private async writeAll(accountId: string, waiting: Waiting<Item, Result>[]): Promise<void> {
    while (waiting.length > 0) {
      // Items that come in the same turn of the event loop go into the same batch.
      await new Promise((resolve) => setImmediate(resolve));
      await this.writeSome(accountId, waiting.splice(0, BATCH));
    }
    this.waiting.delete(accountId);
  }

  private async writeSome(accountId: string, some: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.write(accountId, some.map(({ item }) => item));
      some.forEach(({ resolve }, nth) => resolve(results[nth] as Result));
    } catch (error) {
      // The fault may be one item's, which fails alone then.
      if (some.length > 1 && !toAppError(error).retryable) for (const each of some) await this.writeSome(accountId, [each]);
      else some.forEach(({ reject }) => reject(error));
    }
  }
}
