import type { EventStamps } from '@parlance/event-bus';
import { ConfigError } from '@parlance/platform';
import type { DocumentDatabase } from './document-collection.js';
import { SqliteDocumentDatabase } from './sqlite/sqlite-document-database.js';

/**
 * The database that the URL names: `sqlite:<path of a file>`.
 * @throws ConfigError when no adapter takes the URL.
 */
export async function openDocumentDatabase(url: string, stamps: EventStamps): Promise<DocumentDatabase> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  const rest = url.slice(scheme.length);
  if (scheme === 'sqlite:' && rest !== '') return SqliteDocumentDatabase.open(rest, stamps);
  throw new ConfigError([`DATABASE_URL: no database for ${scheme || 'a URL without a scheme'}; it must be sqlite:<file>`]);
}
