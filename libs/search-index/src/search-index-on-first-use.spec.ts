import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSearchIndex } from './open-search-index.js';
import { SearchIndexOnFirstUse } from './search-index-on-first-use.js';

describe('SearchIndexOnFirstUse', () => {
  let folder: string;
  let path: string;
  let refusals: number;
  let index: SearchIndexOnFirstUse;
  const search = () => index.search({ accountId: 'acc', text: 'anything' });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-first-use-'));
    path = join(folder, 'search.db');
    refusals = 0;
    index = new SearchIndexOnFirstUse(async () => {
      if (refusals-- > 0) throw new Error('the disk is away');
      return openSearchIndex(`sqlite:${path}`, { dimensions: 4 });
    });
  });
  afterEach(async () => {
    await index.close();
    await rm(folder, { recursive: true });
  });

  it('opens nothing for a check or a close', async () => {
    await index.check();
    await index.close();
    expect(existsSync(path)).toBe(false);
    await expect(search()).rejects.toMatchObject({ code: 'search_closed' });
  });

  it('opens once for the first calls, together, and closes what it opened', async () => {
    expect(await Promise.all([search(), search()])).toMatchObject([{ hits: [] }, { hits: [] }]);
    await index.check();
    await index.close();
    await expect(search()).rejects.toMatchObject({ code: 'search_closed' });
  });

  it('tries again after an opening that failed', async () => {
    refusals = 1;
    await expect(search()).rejects.toThrow('the disk is away');
    expect(await search()).toMatchObject({ hits: [] });
  });
});
