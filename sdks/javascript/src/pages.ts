interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
  /** In lists that always have a cursor, such as events: false on the last page. */
  has_more?: boolean;
}

/** A list of the API: `for await` gives its items, page after page. */
export class Pages<Item> implements AsyncIterable<Item> {
  constructor(private readonly fetchPage: (cursor: string | undefined) => Promise<Page<Item>>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Page by page, each with `next_cursor`. */
  async *pages(): AsyncGenerator<Page<Item>> {
    let cursor: string | undefined;
    do {
      const page = await this.fetchPage(cursor);
      yield page;
      cursor = page.has_more === false ? undefined : (page.next_cursor ?? undefined);
    } while (cursor !== undefined);
  }

  /** The first page alone. */
  async first(): Promise<Page<Item>> {
    return this.fetchPage(undefined);
  }
}
