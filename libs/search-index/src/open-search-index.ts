import { ConfigError, type Logger } from '@parlance/platform';
import type { SearchIndex } from './search-index.js';
import { SqliteSearchIndex } from './sqlite/sqlite-search-index.js';

export interface SearchIndexOptions {
  /** Of the vectors, as the embedding engine makes them; all in one index have the same. */
  dimensions: number;
  /** Default: none. */
  log?: Logger;
  /** Of the user in the URL, where it is a server's and not in the URL itself. */
  password?: string | undefined;
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
