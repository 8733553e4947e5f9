import type { IncomingMessage } from 'node:http';
import multipart from '@fastify/multipart';
import fastifyStatic from '@fastify/static';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppError, ConfigError } from '@parlance/platform';
import type { HttpListener, ServiceContext } from '@parlance/runtime';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { SWAGGER_UI_FOLDER } from '../docs/swagger-ui.js';
import { uploadLimits, type gatewayConfig } from '../gateway-config.js';
import { fromFrameworkError } from './framework-error.js';
import { MethodTable } from './method-table.js';
import { describeProblem } from './problem.js';
import { pathOf } from './problem-filter.js';
import { requestIdOf } from './request-id.js';
import { uploadTimeMs } from '../uploads/upload-pace.js';
import { OPEN_STREAMS } from '../tokens.js';
import type { OpenStreams } from './open-streams.js';
import { logRequests } from './request-log.js';
import { traceRequests } from './request-trace.js';
import { MAX_HEAD_BYTES, refuseUnreadable } from './unreadable.js';

type Context = ServiceContext<typeof gatewayConfig>;

/** Milliseconds for a request's head to arrive. */
const HEADERS_TIMEOUT_MS = 20_000;
/** Milliseconds without a byte either way; longer than a long poll, and event streams have a heartbeat. Answers of a model have longer. */
const IDLE_TIMEOUT_MS = 90_000;
const CLOSE_IDLE_EVERY_MS = 20;

declare module 'fastify' {
  interface FastifyInstance {
    methodTable: MethodTable;
    /** Milliseconds in which a JSON body must have arrived. */
    jsonBodyMs: number;
    /** Of a JSON body. */
    maxJsonBytes: number;
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
    http: { maxHeaderSize: MAX_HEAD_BYTES, headersTimeout: HEADERS_TIMEOUT_MS, requireHostHeader: false },
    connectionTimeout: IDLE_TIMEOUT_MS,
    requestTimeout: longestRequestMs(config),
    ...(config.TRUSTED_PROXIES.length > 0 && { trustProxy: config.TRUSTED_PROXIES }),
    routerOptions: { maxParamLength: 1000 },
    // As a browser's user types it.
    rewriteUrl: ({ url = '/' }) => url.replace(/^\/(docs|problems)\/(?=$|\?)/, '/$1'),
    genReqId: (request: IncomingMessage) => requestIdOf(request, ids),
    return503OnClosing: false,
    frameworkErrors: sendProblem,
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, ids.next('req')),
  });
  const server = adapter.getInstance();
  const methods = new MethodTable();
  server.decorate('methodTable', methods);
  server.decorate('jsonBodyMs', uploadLimits(config).pace.stallMs);
  server.decorate('maxJsonBytes', config.JSON_BODY_MAX_BYTES);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.decorateRequest('caller', null);
  traceRequests(server);
  server.addHook('onRoute', ({ method, url }) => methods.add(method, url));
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (request.headers.host === undefined && request.raw.httpVersion !== '1.0') sendProblem(hostMissing(), request, reply);
    else if (request.method === 'OPTIONS') sendMethods(methods, request, reply, done);
    else done();
  });
  // Node would refuse the one without a word of ours, and hang up on the other.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  server.server.on('connect', (_request, socket) => refuseUnreadable(new Error('CONNECT'), socket, ids.next('req')));
  logRequests(server, log, metrics);
  // Only for `reply.sendFile`: the pages say which files there are.
  void server.register(fastifyStatic, { root: SWAGGER_UI_FOLDER, serve: false, maxAge: '1h' });
  void adapter.register(multipart as unknown as Parameters<FastifyAdapter['register']>[0]);
  return adapter;
}

/** @throws ConfigError when the address cannot be bound */
export async function listen(app: INestApplication, { config }: Context): Promise<HttpListener> {
  try {
    await app.listen(config.PORT, config.HOST);
  } catch (error) {
    throw bindError(error, config);
  }
  const address = app.getHttpServer().address() as { port: number };
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  const url = `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${address.port}`;
  return { url, close: (limitMs) => drain(app, limitMs) };
}

/** The net below the pace of uploads, for a body that nobody reads. */
function longestRequestMs(config: Context['config']): number {
  const { maxBytes, pace } = uploadLimits(config);
  return uploadTimeMs({ ...pace, startMs: 2 * pace.startMs }, maxBytes);
}

/** Answers that are held open end with what there is; an upload that goes on past the limit is cut off. */
async function drain(app: INestApplication, limitMs: number): Promise<void> {
  app.get<OpenStreams>(OPEN_STREAMS).close();
  const limit = setTimeout(() => app.getHttpServer().closeAllConnections(), limitMs);
  try {
    await app.getHttpAdapter().close();
  } finally {
    clearTimeout(limit);
  }
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
function sendProblem(error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): void {
  const { problem, headers } = describeProblem(fromFrameworkError(error), { path: pathOf(request.url), id: request.id });
  void reply.status(problem.status).headers({ ...headers, 'x-request-id': request.id }).send(JSON.stringify(problem));
}

/** What a path can do is in the API description: no key is needed to ask. */
function sendMethods(methods: MethodTable, request: FastifyRequest, reply: FastifyReply, otherwise: () => void): void {
  const allowed = methods.allowed(pathOf(request.url));
  if (allowed.length === 0) otherwise();
  else void reply.status(204).header('allow', allowed.join(', ')).send();
}

/** RFC 9112, section 3.2: Node's own answer would have no body. */
const hostMissing = () => new AppError({ kind: 'invalid', code: 'malformed_request', message: 'The header Host is missing.' });
