/** Reads a sequence one item at a time, with a look at the next one. */
export class Lookahead<T> {
  private ahead: Promise<IteratorResult<T>> | undefined;

  constructor(private readonly items: AsyncGenerator<T>) {}

  /** The next item, which stays; undefined at the end. */
  async peek(): Promise<T | undefined> {
    const { done, value } = await (this.ahead ??= this.items.next());
    return done ? undefined : value;
  }

  /** The next item; undefined at the end. */
  async take(): Promise<T | undefined> {
    const item = await this.peek();
    if (item !== undefined) this.ahead = undefined;
    return item;
  }

  async close(): Promise<void> {
    await this.items.return(undefined);
  }
}
