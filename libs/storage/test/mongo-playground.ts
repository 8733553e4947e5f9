import { randomBytes } from 'node:crypto';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { createConnection, type mongo } from 'mongoose';
import { MongoDocumentDatabase, type MongoDatabaseOptions } from '../src/documents/mongo/mongo-document-database.js';
import { databaseName } from '../src/documents/mongo/mongo-url.js';

/** A database of its own on a real server, and connections to it. */
export class MongoPlayground {
  /** What the names of its databases begin with. */
  readonly baseName = `t_${randomBytes(6).toString('hex')}`;
  readonly url: string;
  private readonly source = 'contract';

  /** @param uri of any database; default MONGODB_URI */
  constructor(uri = uriOfTheEnvironment()) {
    const at = new URL(uri);
    at.pathname = `/${this.baseName}`;
    this.url = at.href;
  }

  /** With its indexes, and what options are to be other. */
  connect(options: Partial<MongoDatabaseOptions> & { url?: string } = {}): MongoDocumentDatabase {
    const { url = `${this.url}&createIndexes=true`, ...rest } = options;
    return MongoDocumentDatabase.open(url, { clock: systemClock, ids: ulidGenerator(), source: this.source, ...rest });
  }

  /** What the server has, past the adapter. */
  async look<R>(work: (database: mongo.Db) => Promise<R>, source = this.source): Promise<R> {
    const connection = await createConnection(this.url, { dbName: databaseName(this.baseName, source) }).asPromise();
    try {
      if (!connection.db) throw new Error('not connected');
      return await work(connection.db);
    } finally {
      await connection.close();
    }
  }

  async dispose(): Promise<void> {
    await this.look((database) => database.dropDatabase());
  }
}

function uriOfTheEnvironment(): string {
  const uri = process.env['MONGODB_URI'];
  if (!uri) throw new Error('MONGODB_URI is not set');
  return uri;
}
