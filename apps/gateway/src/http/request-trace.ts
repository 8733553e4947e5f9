import { startSpan, type Span } from '@parlance/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Not of interest to anybody, and asked for all the time. */
const UNTRACED = /^\/(?:health|metrics)\b/;

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null;
  }
}

/**
 * Continues the caller's trace, or starts one; all work for the request belongs to it. Set it up before all other hooks.
 * @see OpenTelemetry semantic conventions for HTTP server spans
 */
export function traceRequests(server: FastifyInstance): void {
  server.decorateRequest('span', null);
  server.addHook('onRequest', (request, _reply, done) => {
    if (UNTRACED.test(request.url)) return done();
    const { url: route } = request.routeOptions;
    const name = route === undefined ? request.method : `${request.method} ${route}`;
    request.span = startSpan(name, { kind: 'server', service: 'gateway', parent: givenBy(request), attributes: attributesOf(request, route) });
    request.span.run(done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { span } = request;
    if (!span) return done();
    const { statusCode } = reply;
    span.set({ 'http.response.status_code': statusCode, 'parlance.account_id': request.caller?.accountId });
    // Answers arrive outside of the request's hooks; what the others log belongs to it all the same.
    span.run(done);
    span.end(statusCode >= 500 ? String(statusCode) : undefined);
  });
}

const givenBy = ({ headers }: FastifyRequest): string => (typeof headers.traceparent === 'string' ? headers.traceparent : 'none');

const attributesOf = ({ id, method, raw }: FastifyRequest, route: string | undefined) => ({
  'http.request.method': method,
  'http.route': route,
  'network.protocol.version': raw.httpVersion,
  'parlance.request_id': id,
});
