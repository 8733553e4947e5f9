import { setImmediate as nextTurn } from 'node:timers/promises';

interface Batch<Item, Result> {
  items: Item[];
  hasBegun: boolean;
  outcome: Promise<Result>;
}

/**
 * Does the work of one turn of the event loop, or of a longer time, together: all items that are added with the same key within it
 * are handed to one call of `work`, in the order they were added. Calls of one key run one after another: items that are added during a
 * call go to the next one.
 */
export class TurnBatch<Item, Result> {
  /** The last batch of each key that has one. */
  private readonly batches = new Map<string, Batch<Item, Result>>();

  /** @param gathered called for each new batch: it takes further items until that settles, by default those of one turn */
  constructor(
    private readonly work: (key: string, items: readonly Item[]) => Promise<Result>,
    private readonly gathered: () => Promise<unknown> = () => nextTurn(),
  ) {}

  /** @returns the outcome of the whole batch */
  add(key: string, item: Item): Promise<Result> {
    const last = this.batches.get(key);
    const batch = last && !last.hasBegun ? last : this.open(key, last?.outcome);
    batch.items.push(item);
    return batch.outcome;
  }

  private open(key: string, previous: Promise<unknown> | undefined): Batch<Item, Result> {
    const ready = Promise.allSettled([previous, this.gathered()]);
    const batch: Batch<Item, Result> = { items: [], hasBegun: false, outcome: ready.then(() => this.run(key, batch)) };
    this.batches.set(key, batch);
    return batch;
  }

  private async run(key: string, batch: Batch<Item, Result>): Promise<Result> {
    batch.hasBegun = true;
    try {
      return await this.work(key, batch.items);
    } finally {
      if (this.batches.get(key) === batch) this.batches.delete(key);
    }
  }
}
