import type { EventStamps } from '@parlance/event-bus';
import { ConfigError, type Logger } from '@parlance/platform';
import type { Durability } from '@parlance/platform/sqlite';
import type { DocumentDatabase } from './document-collection.js';
import { SqliteDocumentDatabase } from './sqlite/sqlite-document-database.js';

interface DocumentDatabaseOptions extends EventStamps {
  /** Default: none. */
  log?: Logger;
  /** The password of the user in the URL of a server, when the URL does not contain it. */
  password?: string | undefined;
  /** The durability of an embedded database; default: power. */
  durability?: Durability | undefined;
}

/**
 * The database that the URL names: `sqlite:<path of a file>`, or `mongodb://<hosts>/<name>?<options>` (`mongodb+srv://`),
 * on which each service (`source`) has the database `<name>_<service>`.
 * @throws ConfigError when no adapter takes the URL.
 */
export async function openDocumentDatabase(url: string, options: DocumentDatabaseOptions): Promise<DocumentDatabase> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  const rest = url.slice(scheme.length);
  if (scheme === 'sqlite:' && rest !== '') return SqliteDocumentDatabase.open(rest, options);
  if (scheme === 'mongodb:' || scheme === 'mongodb+srv:') {
    // Here, so that the embedded shape does not pay for the driver.
    const { MongoDocumentDatabase } = await import('./mongo/mongo-document-database.js');
    return MongoDocumentDatabase.open(url, options);
  }
  throw new ConfigError([`DATABASE_URL: no database for ${scheme || 'a URL without a scheme'}; it must be sqlite:<file> or mongodb://<hosts>/<name>`]);
}
