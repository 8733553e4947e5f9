import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { createMetrics, type HealthReport } from '@parlance/platform';
import { startHealthServer } from './health-server.js';

it('a busy HEALTH_PORT is named with its setting', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const health = () => Promise.resolve<HealthReport>({ status: 'ok', checks: {} });
  const starting = startHealthServer({ host: '127.0.0.1', port, metrics: createMetrics(), health, dependencies: health });
  await expect(starting).rejects.toMatchObject({ problems: [`HEALTH_PORT: ${port} is in use on 127.0.0.1; choose another`] });
  other.close();
});
