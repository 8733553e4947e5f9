import { randomBytes } from 'node:crypto';
import { IndexMigration } from '../src/opensearch/index-migration.js';
import { OpenSearchSearchIndex, type OpenSearchOptions } from '../src/opensearch/opensearch-search-index.js';
import { OpenSearchServer, WRITING } from '../src/opensearch/opensearch-server.js';
import { parseOpenSearchUrl } from '../src/opensearch/opensearch-url.js';
import { silentLogger } from '@parlance/platform';

/** Indices of a prefix of their own on a real server. */
export class OpenSearchPlayground {
  readonly prefix: string;
  readonly url: string;
  readonly server: OpenSearchServer;
  index: OpenSearchSearchIndex;

  private constructor(readonly dimensions: number, shards: number, prefix: string) {
    this.prefix = prefix;
    this.url = `opensearch+${setting('OPENSEARCH_URL')}/${this.prefix}?shards=${shards}&replicas=0`;
    this.server = new OpenSearchServer({ url: parseOpenSearchUrl(this.url) });
    this.index = this.connect();
  }

  static async create({ dimensions, shards = 1 }: { dimensions: number; shards?: number }): Promise<OpenSearchPlayground> {
    const playground = new OpenSearchPlayground(dimensions, shards, `t-${randomBytes(6).toString('hex')}`);
    await playground.migration().migrate();
    return playground;
  }

  connect(options: Partial<OpenSearchOptions> = {}): OpenSearchSearchIndex {
    return OpenSearchSearchIndex.open(this.url, { dimensions: this.dimensions, ...options });
  }

  /** The same index, through a gate. */
  connectThrough(guard: string, { query = '', ...options }: Partial<OpenSearchOptions> & { query?: string } = {}): OpenSearchSearchIndex {
    return OpenSearchSearchIndex.open(`opensearch+${guard}/${this.prefix}${query}`, { dimensions: this.dimensions, ...options });
  }

  migration(dimensions = this.dimensions): IndexMigration {
    return new IndexMigration(this.server, parseOpenSearchUrl(this.url), dimensions, silentLogger());
  }

  async settle(): Promise<void> {
    await this.server.call({ method: 'POST', path: `/${this.prefix}-passages/_refresh` }, WRITING);
  }

  async reopen(): Promise<OpenSearchSearchIndex> {
    await this.index.close();
    this.index = this.connect();
    return this.index;
  }

  async dispose(): Promise<void> {
    await this.index.close();
    await this.server.call({ method: 'DELETE', path: `/${this.prefix}-*` }, WRITING);
    await this.server.close();
  }
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
