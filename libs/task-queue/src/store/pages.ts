/** Reads a list that may be long in pages, one at each call: each continues after the one before, and begins again at the end. */
export class Pages {
  /** The last value read, by list. */
  private readonly readTo = new Map<string, string>();

  constructor(private readonly size: number) {}

  /** @param read gives the values after one, in order. @returns the whole list if it is no longer than a page */
  async next(list: string, read: (after: string, limit: number) => string[] | Promise<string[]>): Promise<string[]> {
    const after = this.readTo.get(list) ?? '';
    const rest = await read(after, this.size);
    const begin = after === '' || rest.length === this.size ? [] : await read('', this.size - rest.length);
    const page = new Set([...rest, ...begin]);
    const last = [...page].at(-1);
    if (page.size === this.size && last !== undefined) this.readTo.set(list, last);
    else this.readTo.delete(list);
    return [...page];
  }
}
