import { toAppError } from '@parlance/platform';

/** Accounts whose last place is remembered. */
const REMEMBERED = 10_000;
/** Written at once. */
const BATCH = 256;

/** @param last the account's last place that this process knows of, which may be overtaken @returns what became of each item, and the last place now */
export type WriteBatch<Item, Result> = (accountId: string, items: readonly Item[], last: number | undefined) => Promise<{ results: Result[]; last: number }>;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface Line<Item, Result> {
  waiting: Waiting<Item, Result>[];
  isWriting: boolean;
  last: number | undefined;
}

/**
 * Writers to one account's order, one after the other within this process, and together what came while the one before wrote.
 * Those of other accounts go beside them.
 */
export class AccountTurns<Item, Result> {
  private readonly lines = new Map<string, Line<Item, Result>>();

  constructor(private readonly write: WriteBatch<Item, Result>) {}

  run(accountId: string, item: Item): Promise<Result> {
    const line = this.lineOf(accountId);
    const written = new Promise<Result>((resolve, reject) => line.waiting.push({ item, resolve, reject }));
    if (!line.isWriting) void this.writeAll(accountId, line);
    return written;
  }

  private async writeAll(accountId: string, line: Line<Item, Result>): Promise<void> {
    line.isWriting = true;
    while (line.waiting.length > 0) {
      // What else comes in this turn of the event loop goes along.
      await new Promise((resolve) => setImmediate(resolve));
      await this.writeSome(accountId, line, line.waiting.splice(0, BATCH));
    }
    line.isWriting = false;
  }

  private async writeSome(accountId: string, line: Line<Item, Result>, some: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const { results, last } = await this.write(accountId, some.map(({ item }) => item), line.last);
      line.last = last;
      some.forEach(({ resolve }, nth) => resolve(results[nth] as Result));
    } catch (error) {
      line.last = undefined;
      // The fault may be one item's, which fails alone then.
      if (some.length > 1 && !toAppError(error).retryable) for (const each of some) await this.writeSome(accountId, line, [each]);
      else some.forEach(({ reject }) => reject(error));
    }
  }

  private lineOf(accountId: string): Line<Item, Result> {
    const line = this.lines.get(accountId) ?? { waiting: [], isWriting: false, last: undefined };
    this.lines.delete(accountId);
    this.lines.set(accountId, line);
    if (this.lines.size > REMEMBERED) this.forgetOldest();
    return line;
  }

  private forgetOldest(): void {
    for (const [accountId, { isWriting }] of this.lines) {
      if (isWriting) continue;
      this.lines.delete(accountId);
      return;
    }
  }
}
