import type { EventData } from '@parlance/contracts';
import type { DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';
import { usageEntryCollection, usageEntryOf, type UsageEntry } from './usage-entry.js';
import { addToBalance, addToDay, dayIdOf, usageBalanceCollection, usageDayCollection, type UsageBalance, type UsageDay, type UsageSum } from './usage-sums.js';

const MANY_TAKEN = 32;

/**
 * The ledger: an entry for each run of a job that was billed, and the sums of its account and day.
 *
 * Entry and sums are several documents and there is no transaction over them, so each entry is added to each sum by
 * compare-and-set: the sum is read first, then whether the entry is counted. A process marks the entry as counted, or drops
 * its id from a sum, only after having written that sum, so a repeated event either sees it or its write conflicts
 * ({@link add}).
 */
export class UsageLedger {
  readonly entries: DocumentCollection<UsageEntry>;
  readonly days: DocumentCollection<UsageDay>;
  readonly balances: DocumentCollection<UsageBalance>;

  /** @param manyTaken from so many on, a sum forgets ids that need not be remembered */
  constructor(
    documents: DocumentDatabase,
    private readonly manyTaken = MANY_TAKEN,
  ) {
    this.entries = documents.collection(usageEntryCollection);
    this.days = documents.collection(usageDayCollection);
    this.balances = documents.collection(usageBalanceCollection);
  }

  /** May be called again after a failure anywhere in it, at the same time by several processes, and long after. */
  async record(event: EventData<'usage.recorded'>): Promise<void> {
    const entry = usageEntryOf(event);
    await this.entries.insertIfAbsent(entry);
    await this.add(this.days, dayIdOf(entry), entry, (day) => addToDay(day, entry));
    await this.add(this.balances, entry.accountId, entry, (balance) => addToBalance(balance, entry));
    await this.entries.update(entry.id, (current) => (current && !current.counted ? { document: { ...current, counted: true } } : undefined));
  }

  /** Milliseconds of a job that are in all sums. */
  async countedOf(jobId: string): Promise<number> {
    let sum = 0;
    for await (const { document } of this.entries.all({ where: { jobId } })) if (document.counted) sum += document.milliseconds;
    return sum;
  }

  private async add<S extends UsageSum>(sums: DocumentCollection<S>, id: string, entry: UsageEntry, added: (sum: S | undefined) => S): Promise<void> {
    for (let done = false; !done; ) {
      const stored = await sums.get(id);
      const isCounted = (await this.entries.get(entry.id))?.document.counted ?? true;
      if (isCounted || stored?.document.taken.includes(entry.id)) return;
      const next = added(stored?.document);
      const taken = next.taken.length > this.manyTaken ? await this.uncounted(next.taken) : next.taken;
      done = await write(sums, { ...next, taken }, stored);
    }
  }

  private async uncounted(ids: readonly string[]): Promise<string[]> {
    const found = await Promise.all(ids.map((id) => this.entries.get(id)));
    return ids.filter((_, at) => !found[at]?.document.counted);
  }
}

/** @returns whether no other write came first. */
async function write<S extends UsageSum>(sums: DocumentCollection<S>, next: S, before: Stored<S> | undefined): Promise<boolean> {
  const stored = before ? await sums.replaceIf(next, before.version) : await sums.insertIfAbsent(next);
  return stored !== undefined;
}
