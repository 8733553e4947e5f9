import type { Logger, Metrics } from '@parlance/platform';
import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';

/** One line and one measurement a request; the route, never the address with its query. */
export function logRequests(server: FastifyInstance, log: Logger, metrics: Metrics): void {
  const duration = new Histogram({
    name: 'parlance_http_request_duration_seconds',
    help: 'Time from the request to the end of its response',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [metrics],
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const { statusCode: status, elapsedTime } = reply;
    duration.observe({ method: request.method, route, status }, elapsedTime / 1000);
    const level = route.startsWith('/health') || route === '/metrics' || request.caller?.isInternal ? 'debug' : 'info';
    log[level]({ request_id: request.id, account_id: request.caller?.accountId, method: request.method, route, status, ms: Math.round(elapsedTime) }, 'request');
    done();
  });
}
