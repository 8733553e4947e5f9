import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchIndex } from '../src/search-index.js';
import { SqliteSearchIndex } from '../src/sqlite/sqlite-search-index.js';

/** An index in a folder of its own, whose thread needs the build (`npm test` makes it before): it has no loader for sources. */
export class EmbeddedPlayground {
  private constructor(
    private readonly folder: string,
    readonly path: string,
    private readonly dimensions: number,
    public index: SearchIndex,
  ) {}

  static async create(dimensions: number): Promise<EmbeddedPlayground> {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-search-'));
    const path = join(folder, 'search.db');
    return new EmbeddedPlayground(folder, path, dimensions, await SqliteSearchIndex.open(path, { dimensions }));
  }

  async settle(): Promise<void> {}

  async reopen(): Promise<SearchIndex> {
    await this.index.close();
    this.index = await SqliteSearchIndex.open(this.path, { dimensions: this.dimensions });
    return this.index;
  }

  async dispose(): Promise<void> {
    await this.index.close();
    await rm(this.folder, { recursive: true });
  }
}
