import { ConfigError, type Logger } from '@parlance/platform';
import type { Durability } from '@parlance/platform/sqlite';
import type * as onServer from './opensearch/index.js';
import type { SearchIndex } from './search-index.js';
import { SqliteSearchIndex } from './sqlite/sqlite-search-index.js';

interface SearchIndexOptions {
  /** The dimensions of the vectors, as the embedding engine returns them; all vectors of one index have the same. */
  dimensions: number;
  /** Default: none. */
  log?: Logger;
  /** The password of the user in the URL of a server, when the URL does not contain it. */
  password?: string | undefined;
  /** The durability of the embedded index; default: power. */
  durability?: Durability | undefined;
}

/**
 * The search index that the URL names: `sqlite:<path of a file>`, or `opensearch+https://<user>@<host>/<prefix>?<options>`.
 * @throws ConfigError when no adapter takes the URL.
 */
export async function openSearchIndex(url: string, options: SearchIndexOptions): Promise<SearchIndex> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  const rest = url.slice(scheme.length);
  if (scheme === 'sqlite:' && rest !== '') return SqliteSearchIndex.open(rest, options);
  if (scheme === 'opensearch+https:' || scheme === 'opensearch+http:') {
    // Here, so that the embedded shape does not pay for the client.
    const { OpenSearchSearchIndex } = await import('./opensearch/opensearch-search-index.js');
    return OpenSearchSearchIndex.open(url, options);
  }
  throw new ConfigError([`SEARCH_URL: no search index for ${scheme || 'a URL without a scheme'}; it must be sqlite:<file> or opensearch+https://<host>/<prefix>`]);
}

/**
 * Returns the operator's commands for an index on a server, by its URL: `migrateSearchIndex` and so on of
 * `@parlance/search-index/opensearch`.
 * Undefined for a URL of the embedded index, which needs no commands.
 */
export async function searchIndexCommands(url: string): Promise<typeof onServer | undefined> {
  // The client is loaded only where there is a server to talk to.
  return url.startsWith('sqlite:') ? undefined : import('./opensearch/index.js');
}
