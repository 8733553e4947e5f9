import { createServer, type ServerResponse } from 'node:http';
import type { HealthReport, Metrics } from '@parlance/platform';
import { bindError } from './bind-error.js';

interface HealthServerOptions {
  host: string;
  port: number;
  metrics: Metrics;
  /** The report of `/health/ready`: ok when the process can serve. */
  health: () => Promise<HealthReport>;
  dependencies: () => Promise<HealthReport>;
}

/** `/health/live`, `/health/ready`, `/health/dependencies` and `/metrics` on a port that is not public. @throws ConfigError when the port cannot be bound. */
export async function startHealthServer({ host, port, metrics, health, dependencies }: HealthServerOptions): Promise<{ close(): Promise<void> }> {
  const routes: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/health/live': async (response) => json(response, 200, { status: 'ok' }),
    '/health/ready': async (response) => answer(response, await health()),
    '/health/dependencies': async (response) => answer(response, await dependencies()),
    '/metrics': async (response) => {
      response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics());
    },
  };
  const server = createServer((request, response) => {
    const route = routes[(request.url ?? '').split('?')[0] ?? ''];
    if (!route) return json(response, 404, { status: 'not_found' });
    route(response).catch(() => json(response, 500, { status: 'error' }));
  });
  const listening = new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  await listening.catch((error: unknown) => {
    throw bindError(error, { portSetting: 'HEALTH_PORT', port, hostSetting: 'HEALTH_HOST', host });
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const answer = (response: ServerResponse, report: HealthReport): void => json(response, report.status === 'ok' ? 200 : 503, report);

function json(response: ServerResponse, status: number, body: unknown): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
