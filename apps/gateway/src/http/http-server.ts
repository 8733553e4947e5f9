import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import multipart from '@fastify/multipart';
import fastifyStatic from '@fastify/static';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppError, ConfigError } from '@parlance/platform';
import type { ServiceContext } from '@parlance/runtime';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { SWAGGER_UI_FOLDER } from '../docs/swagger-ui.js';
import type { gatewayConfig } from '../gateway-config.js';
import { fromFrameworkError } from './framework-error.js';
import { MethodTable } from './method-table.js';
import { describeProblem, PROBLEM_TYPE } from './problem.js';
import { pathOf } from './problem-filter.js';
import { requestIdOf } from './request-id.js';
import { logRequests } from './request-log.js';

type Context = ServiceContext<typeof gatewayConfig>;

/** Milliseconds for a request's head to arrive. */
const HEADERS_TIMEOUT_MS = 20_000;
/** Milliseconds without a byte either way; longer than a long poll, and event streams have a heartbeat. */
const IDLE_TIMEOUT_MS = 90_000;
const MAX_URL_BYTES = 16 * 1024;
const CLOSE_IDLE_EVERY_MS = 20;

declare module 'fastify' {
  interface FastifyInstance {
    methodTable: MethodTable;
  }
}

/** Nest's Fastify adapter that leaves bodies unread: they are read after the caller was let in. */
class GatewayHttpAdapter extends FastifyAdapter {
  override registerParserMiddleware(): void {}

  /** A connection whose last answer ends while the server closes would otherwise be kept open for the client's next request. */
  override async close(): Promise<void> {
    const sweep = setInterval(() => this.getHttpServer().closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
    try {
      await super.close();
    } finally {
      clearInterval(sweep);
    }
  }
}

/** The server with its limits and hooks; the module adds the routes. */
export function createHttpAdapter({ config, ids, log, metrics }: Context): GatewayHttpAdapter {
  const adapter = new GatewayHttpAdapter({
    http: { maxHeaderSize: MAX_URL_BYTES, headersTimeout: HEADERS_TIMEOUT_MS },
    connectionTimeout: IDLE_TIMEOUT_MS,
    requestTimeout: config.UPLOAD_TIMEOUT_MINUTES * 60_000,
    routerOptions: { maxParamLength: 1000 },
    genReqId: (request: IncomingMessage) => requestIdOf(request, ids),
    return503OnClosing: false,
    frameworkErrors: sendProblem,
    clientErrorHandler: refuseUnreadable,
  });
  const server = adapter.getInstance();
  const methods = new MethodTable();
  server.decorate('methodTable', methods);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.decorateRequest('caller', null);
  server.addHook('onRoute', ({ method, url }) => methods.add(method, url));
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
  logRequests(server, log, metrics);
  // Only for `reply.sendFile`: the pages say which files there are.
  void server.register(fastifyStatic, { root: SWAGGER_UI_FOLDER, serve: false, maxAge: '1h' });
  void adapter.register(multipart as unknown as Parameters<FastifyAdapter['register']>[0]);
  return adapter;
}

/** @throws ConfigError when the address cannot be bound */
export async function listen(app: INestApplication, { config }: Context): Promise<{ url: string }> {
  try {
    await app.listen(config.PORT, config.HOST);
  } catch (error) {
    throw bindError(error, config);
  }
  const address = app.getHttpServer().address() as { port: number };
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return { url: `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${address.port}` };
}

const BIND_PROBLEMS: Record<string, (config: Context['config']) => string> = {
  EADDRINUSE: ({ PORT, HOST }) => `PORT: ${PORT} is in use on ${HOST}; choose another`,
  EACCES: ({ PORT }) => `PORT: this user may not bind ${PORT}; choose one above 1023`,
  EADDRNOTAVAIL: ({ HOST }) => `HOST: ${HOST} is no address of this machine`,
  ENOTFOUND: ({ HOST }) => `HOST: ${HOST} is not known`,
};

function bindError(error: unknown, config: Context['config']): unknown {
  const problem = BIND_PROBLEMS[(error as NodeJS.ErrnoException).code ?? ''];
  return problem ? new ConfigError([problem(config)]) : error;
}

/** What the router refuses before any hook runs. */
function sendProblem(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { problem, headers } = describeProblem(fromFrameworkError(error), { path: pathOf(request.url), id: request.id });
  void reply.status(problem.status).headers({ ...headers, 'x-request-id': request.id }).send(JSON.stringify(problem));
}

/** What is no HTTP, or came too slowly: there is no request to answer to, only a socket. */
function refuseUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  const code = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'malformed_request';
  const refusal = new AppError({ kind: 'invalid', code, message: 'The request could not be read.' });
  const { problem } = describeProblem(refusal, { path: '/', id: 'none' });
  const body = JSON.stringify(problem);
  const reason = code === 'request_timeout' ? '408 Request Timeout' : '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${reason}\r\nconnection: close\r\ncontent-type: ${PROBLEM_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
