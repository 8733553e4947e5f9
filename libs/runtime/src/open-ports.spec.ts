import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import { isEmbedded, openSearch, portUrls, scratchFolder } from './open-ports.js';

const servers = { PARLANCE_DATA: 'data', EVENT_BUS_URL: 'kafka://kafka', DATABASE_URL: 'mongodb://mongo/parlance', MEDIA_URL: 's3://bucket' };

describe('what a process keeps in its data folder', () => {
  it('is an index of its own, where the process that searches has no server for it', () => {
    expect(isEmbedded(portUrls(servers), ['search'])).toBe(true);
    expect(isEmbedded(portUrls(servers), ['gateway', 'ingest'])).toBe(false);
    expect(isEmbedded(portUrls({ ...servers, SEARCH_URL: 'opensearch+https://search/parlance' }), ['search'])).toBe(false);
    expect(isEmbedded(portUrls({ PARLANCE_DATA: 'data', SEARCH_URL: 'opensearch+https://search/parlance' }), ['gateway'])).toBe(true);
  });

  it('is no scratch file, where these have a folder of their own', () => {
    expect(scratchFolder({ PARLANCE_DATA: '/data' }, 'ingest')).toBe('/data/scratch/ingest');
    expect(scratchFolder({ PARLANCE_DATA: '/data', SCRATCH_FOLDER: '/memory' }, 'ingest')).toBe('/memory/ingest');
  });

  it('has no index before somebody uses it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parlance-ports-'));
    try {
      const index = await openSearch(portUrls({ PARLANCE_DATA: folder }), 4, { log: silentLogger() });
      await index.check();
      await index.close();
      expect(existsSync(join(folder, 'search.db'))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
