import type { Document, DocumentCollection, PagesQuery, Stored } from './document-collection.js';

const PAGE = 200;

/** The documents of all pages of a query; the next page is read when the one before is used up. */
export async function* everyPage<T extends Document>(collection: Pick<DocumentCollection<T>, 'find'>, { pageSize = PAGE, ...query }: PagesQuery): AsyncGenerator<Stored<T>> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await collection.find({ ...query, limit: pageSize, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    cursor = page.nextCursor;
  }
}
