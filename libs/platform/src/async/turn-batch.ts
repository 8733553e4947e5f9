import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Does the work of one turn of the event loop together: all items that are added with the same key within the turn are handed
 * to one call of `work`, in the order they were added.
 */
export class TurnBatch<Item, Result> {
  private readonly batches = new Map<string, { items: Item[]; outcome: Promise<Result> }>();

  constructor(private readonly work: (key: string, items: readonly Item[]) => Promise<Result>) {}

  /** @returns the outcome of the whole batch */
  add(key: string, item: Item): Promise<Result> {
    const batch = this.batches.get(key) ?? this.open(key);
    batch.items.push(item);
    return batch.outcome;
  }

  private open(key: string): { items: Item[]; outcome: Promise<Result> } {
    const items: Item[] = [];
    const outcome = nextTurn().then(() => {
      this.batches.delete(key);
      return this.work(key, items);
    });
    const batch = { items, outcome };
    this.batches.set(key, batch);
    return batch;
  }
}
