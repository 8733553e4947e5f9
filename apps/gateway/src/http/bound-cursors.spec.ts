import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';

describe('the cursor of a list', () => {
  let gateway: GatewayHarness;
  let cursor: string;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    for (let each = 0; each < 3; each++) await gateway.submit();
    cursor = await cursorOf('/transcriptions?limit=1&order=desc&metadata[team]=red');
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const get = (path: string) => gateway.call('GET', path);

  async function cursorOf(path: string): Promise<string> {
    await gateway.submit({ metadata: { team: 'red' } });
    await gateway.submit({ metadata: { team: 'red' } });
    return String((await get(path)).body['next_cursor']);
  }

  it('continues with the same filters, in any order and with pages of any size', async () => {
    const { status, body } = await get(`/transcriptions?metadata[team]=red&order=desc&limit=5&cursor=${cursor}`);
    expect([status, (body['data'] as unknown[]).length, body['next_cursor']]).toEqual([200, 1, null]);
  });

  it('is refused with other filters, with none, changed, or for another list', async () => {
    for (const query of ['metadata[team]=blue&order=desc', 'metadata[team]=red&order=desc&status=failed', '']) {
      expect([query, await get(`/transcriptions?${query}&cursor=${cursor}`)]).toMatchObject([query, { status: 422, body: { code: 'invalid_cursor' } }]);
    }
    const filters = 'metadata[team]=red&order=desc';
    expect(await get(`/transcriptions?${filters}&cursor=${cursor}x`)).toMatchObject({ status: 422, body: { code: 'invalid_cursor' } });
    expect(await get(`/keys?cursor=${cursor}`)).toMatchObject({ status: 422, body: { code: 'invalid_cursor' } });
  });

  it('is still taken as an earlier version made it, without a digest', async () => {
    const [ofStore = ''] = cursor.split('.');
    expect((await get(`/transcriptions?metadata[team]=red&order=desc&cursor=${ofStore}`)).status).toBe(200);
  });

  it('comes after the key: a stranger learns nothing of it', async () => {
    expect((await fetch(`${gateway.url}/api/v1/transcriptions?cursor=${cursor}`)).status).toBe(401);
  });
});
