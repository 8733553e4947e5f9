import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { search } from '@parlance/contracts';
import { ConfigError } from '@parlance/platform';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { manifest } from './service.js';

describe('the search service', () => {
  it('says over gRPC which engine it has', async () => {
    await using service = await ServiceHarness.start(manifest);
    const client = service.process.connect('search', search.SearchServiceDefinition);
    const { engine } = await client.getEngine({});
    expect(engine).toMatchObject({ name: 'static-english-256-v1', languages: ['en'], available: true });
  });

  it('is ready with the index in its data folder, which nothing has opened yet', async () => {
    await using service = await ServiceHarness.start(manifest);
    expect(await service.process.health()).toMatchObject({ status: 'ok', checks: { search_index: 'ok' } });
    expect(existsSync(join(service.dataFolder, 'search.db'))).toBe(false);
  });

  it('starts without its search server, and is not ready until that is there', async () => {
    await using service = await ServiceHarness.start(manifest, { SEARCH_URL: 'opensearch+http://127.0.0.1:1/parlance' });
    const { status, checks } = await service.process.health();
    expect([status, checks['search_index'], checks['search_documents']]).toEqual(['unavailable', expect.not.stringMatching(/^ok$/), 'ok']);
  });

  it('refuses an index and an engine that no adapter takes', async () => {
    await expect(ServiceHarness.start(manifest, { SEARCH_URL: 'http://search/parlance' })).rejects.toThrow(ConfigError);
    await expect(ServiceHarness.start(manifest, { SEARCH_DIMENSIONS: '0' })).rejects.toThrow(ConfigError);
    await expect(ServiceHarness.start(manifest, { EMBEDDINGS_ENGINE_URL: 'http://models/v1' })).rejects.toThrow(ConfigError);
  });
});
