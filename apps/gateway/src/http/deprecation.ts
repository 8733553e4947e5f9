import type { FastifyInstance } from 'fastify';

/** The end of an operation, as its declaration announces it. */
export interface Deprecation {
  /** The day on which it was deprecated, `YYYY-MM-DD`: it works as before, and new clients should not use it. */
  since: string;
  /** The day from which it may no longer work, `YYYY-MM-DD`; at least a year after `since`. */
  sunset?: string;
  /** The path or URL of the operation to use instead. */
  successor?: string;
  /** The path or URL of a page that explains the change. */
  link?: string;
}

/** The headers of every answer of a deprecated operation: RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 8288 (Link). */
function deprecationHeaders({ since, sunset, successor, link }: Deprecation): Record<string, string> {
  const links = [
    ...(link === undefined ? [] : [`<${link}>; rel="deprecation"; type="text/html"`]),
    ...(successor === undefined ? [] : [`<${successor}>; rel="successor-version"`]),
  ];
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    ...(sunset !== undefined && { sunset: new Date(sunset).toUTCString() }),
    ...(links.length > 0 && { link: links.join(', ') }),
  };
}

/** Sends them with every answer of an operation that is declared as deprecated, refusals included. */
export function announceDeprecations(server: FastifyInstance): void {
  server.addHook('onRequest', ({ routeOptions }, reply, done) => {
    const deprecated = routeOptions.config.operation?.deprecated;
    if (deprecated) reply.headers(deprecationHeaders(deprecated));
    done();
  });
}
