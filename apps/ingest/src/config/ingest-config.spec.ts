import { expect, it } from '@jest/globals';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { manifest } from '../service.js';

it('the ideal length of a chunk above the longest stops the start, and both settings are named', async () => {
  const starting = ServiceHarness.start(manifest, { CHUNK_MAX_SECONDS: '20' });
  await expect(starting).rejects.toMatchObject({ problems: ['CHUNK_IDEAL_SECONDS: 30 is more than CHUNK_MAX_SECONDS, which is 20'] });
});
