import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';

const { version } = JSON.parse(await readFile(new URL('../../../../package.json', import.meta.url), 'utf8')) as { version: string };

describe('GET /api/v1', () => {
  it('says which version answers, what its operator allows, and where to read on', async () => {
    await using gateway = await GatewayHarness.start({ SIGNUP: 'closed', CORS_ORIGINS: 'https://app.example.org', MEDIA_MAX_BYTES: '1000000', UPLOAD_EXPIRY_HOURS: '48' });
    const { status, body } = await gateway.call('GET', '');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Parlance',
      version,
      api_version: '1.0.0',
      features: { sign_up: 'closed', cross_origin: true, max_media_bytes: 1_000_000, upload_expiry_hours: 48 },
      links: { openapi: '/openapi.json', models: '/api/v1/models' },
    });
    const { links } = body as { links: Record<string, string> };
    for (const path of Object.values(links)) expect([path, (await gateway.fetch(path)).status]).toEqual([path, 200]);
  });

  it('has absolute links where the server knows its address', async () => {
    await using gateway = await GatewayHarness.start({ PUBLIC_URL: 'https://api.example.org/parlance/' });
    expect((await gateway.call('GET', '')).body).toMatchObject({ links: { docs: 'https://api.example.org/parlance/docs' } });
  });

  it('needs a key: strangers do not learn the version', async () => {
    await using gateway = await GatewayHarness.start();
    expect((await fetch(`${gateway.url}/api/v1`)).status).toBe(401);
  });
});
