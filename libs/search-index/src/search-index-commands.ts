import type * as onServer from './opensearch/index.js';

/**
 * What an operator does to an index on a server, by its URL: `migrateSearchIndex` and so on of `@parlance/search-index/opensearch`.
 * Undefined for a URL of the embedded index, which looks after itself.
 */
export async function searchIndexCommands(url: string): Promise<typeof onServer | undefined> {
  // The client is loaded only where there is a server to talk to.
  return url.startsWith('sqlite:') ? undefined : import('./opensearch/index.js');
}
