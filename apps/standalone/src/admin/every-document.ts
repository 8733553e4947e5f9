import type { Document, DocumentCollection, Query } from '@parlance/storage';

const PAGE = 200;

/** All that match, oldest first, a page at a time. */
export async function* everyDocument<T extends Document>(collection: DocumentCollection<T>, { where }: Pick<Query, 'where'> = {}): AsyncGenerator<T[]> {
  let cursor: string | null | undefined;
  do {
    const page = await collection.find({ ...(where && { where }), direction: 'ascending', limit: PAGE, ...(cursor && { cursor }) });
    yield page.items.map(({ document }) => document);
    cursor = page.nextCursor;
  } while (cursor);
}
