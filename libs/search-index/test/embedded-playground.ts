import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SearchIndex } from '../src/search-index.js';
import { SqliteSearchIndex } from '../src/sqlite/sqlite-search-index.js';

const build = fileURLToPath(new URL('../../../scripts/build.mjs', import.meta.url));
let isBuilt = false;

/** The thread of the index has no loader for sources: it runs what is built. */
export function buildOnce(): void {
  if (isBuilt) return;
  const { status } = spawnSync(process.execPath, [build]);
  if (status !== 0) throw new Error('the build failed');
  isBuilt = true;
}

/** An index in a folder of its own. */
export class EmbeddedPlayground {
  private constructor(
    private readonly folder: string,
    readonly path: string,
    private readonly dimensions: number,
    public index: SearchIndex,
  ) {}

  static async create(dimensions: number): Promise<EmbeddedPlayground> {
    buildOnce();
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
