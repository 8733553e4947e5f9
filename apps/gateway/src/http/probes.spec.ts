import { describe, expect, it } from '@jest/globals';
import { reservePort } from '@parlance/platform/contract';
import { GatewayHarness } from '../../test/gateway-harness.js';

const INTERNAL = ['/metrics', '/health/dependencies'];
const METRIC = 'parlance_http_request_duration_seconds';
const STORES = { event_bus: 'ok', media_store: 'ok', gateway_documents: 'ok' };

async function answer(url: string, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${url}${path}`);
  return { status: response.status, body: await response.text() };
}

describe('metrics and the state of servers', () => {
  it('leave the public port where HEALTH_PORT is set: strangers see no metric and no name of a store', async () => {
    const port = await reservePort();
    await using gateway = await GatewayHarness.start({ HEALTH_PORT: String(port), HEALTH_HOST: '127.0.0.1' });
    for (const path of INTERNAL) {
      const { status, body } = await answer(gateway.url, path);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(JSON.parse(body)).toMatchObject({ code: 'not_found' });
    }
    expect(await answer(gateway.url, '/health/live')).toEqual({ status: 200, body: '{"status":"ok"}' });
    expect(await answer(gateway.url, '/health/ready')).toEqual({ status: 200, body: '{"status":"ok"}' });

    const internal = `http://127.0.0.1:${port}`;
    expect((await answer(internal, '/metrics')).body).toContain(METRIC);
    for (const path of ['/health/ready', '/health/dependencies']) {
      const { status, body } = await answer(internal, path);
      expect([status, JSON.parse(body)]).toMatchObject([200, { status: 'ok', checks: STORES }]);
    }
  });

  it('are on the public port where HEALTH_PORT is empty, as in one process on a laptop', async () => {
    await using gateway = await GatewayHarness.start();
    expect((await answer(gateway.url, '/metrics')).body).toContain(METRIC);
    for (const path of ['/health/ready', '/health/dependencies']) {
      const { status, body } = await answer(gateway.url, path);
      expect([status, JSON.parse(body)]).toMatchObject([200, { status: 'ok', checks: STORES }]);
    }
  });
});
