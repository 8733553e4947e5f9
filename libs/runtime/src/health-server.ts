import { createServer, type ServerResponse } from 'node:http';
import type { HealthReport, Metrics } from '@parlance/platform';

export interface HealthServerOptions {
  host: string;
  port: number;
  metrics: Metrics;
  health: () => Promise<HealthReport>;
}

/** `/health/live`, `/health/ready` and `/metrics` for a process without a public HTTP server. */
export async function startHealthServer({ host, port, metrics, health }: HealthServerOptions): Promise<{ close(): Promise<void> }> {
  const routes: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/health/live': async (response) => json(response, 200, { status: 'ok' }),
    '/health/ready': async (response) => {
      const report = await health();
      json(response, report.status === 'ok' ? 200 : 503, report);
    },
    '/metrics': async (response) => {
      response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics());
    },
  };
  const server = createServer((request, response) => {
    const route = routes[(request.url ?? '').split('?')[0] ?? ''];
    if (!route) return json(response, 404, { status: 'not_found' });
    route(response).catch(() => json(response, 500, { status: 'error' }));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
