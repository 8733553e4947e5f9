import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readConfig } from '@parlance/platform';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { manifest } from './service.js';
import { ingestConfig, ingestProblems } from './ingest.config.js';

it('the ideal length of a chunk above the longest stops the start, and both settings are named', async () => {
  const starting = ServiceHarness.start(manifest, { CHUNK_MAX_SECONDS: '20' });
  await expect(starting).rejects.toMatchObject({ problems: ['CHUNK_IDEAL_SECONDS: 30 is more than CHUNK_MAX_SECONDS, which is 20'] });
});

it.each([
  ['no token for it', {}, 'MEDIA_DECODER_TOKEN: missing; dns:///media-decoder:50051 requires it'],
  ['the token of the services', { MEDIA_DECODER_TOKEN: 'one-token-for-everything', GRPC_TOKEN: 'one-token-for-everything' }, 'MEDIA_DECODER_TOKEN: must differ from GRPC_TOKEN, which would let the decoder call the services'],
])('a media decoder with %s stops the start', async (_what, env, problem) => {
  const starting = ServiceHarness.start(manifest, { MEDIA_DECODER_URL: 'dns:///media-decoder:50051', ...env });
  await expect(starting).rejects.toMatchObject({ problems: [problem] });
});

it.each([
  ['in the data folder', (folder: string) => join(folder, 'erasures.log'), 'ERASURE_LOG: must be outside of PARLANCE_DATA, which a restore replaces'],
  ['that is a folder', () => tmpdir(), `ERASURE_LOG: ${tmpdir()} is a folder; name a file`],
])('an erasure log %s is a problem', (_where, at, problem) => {
  const folder = join(tmpdir(), 'parlance-data');
  const config = readConfig(ingestConfig, { env: { ERASURE_LOG: at(folder) }, readFile: () => '' });
  expect(ingestProblems({ ...config, PARLANCE_DATA: folder })).toEqual([problem]);
});
