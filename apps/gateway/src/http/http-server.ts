import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server as TlsServer } from 'node:tls';
import multipart from '@fastify/multipart';
import fastifyStatic from '@fastify/static';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { bindError, isLoopback, type HttpListener, type ServiceContext } from '@parlance/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuditLog } from '../audit/audit-log.js';
import { recordAnswers } from '../audit/audit-requests.js';
import { compatRoots } from '../compat/compat-roots.js';
import { DeepgramSockets } from '../compat/deepgram/deepgram-sockets.js';
import { SWAGGER_UI_FOLDER } from '../docs/swagger-ui.js';
import { uploadLimits, type gatewayConfig } from '../gateway.config.js';
import { bindCursors } from './bound-cursors.js';
import { compressAnswers } from './compression.js';
import { limitConnections } from './connection-limits.js';
import { tagAnswers } from './entity-tags.js';
import { Cors } from './cors.js';
import { announceDeprecations } from './deprecation.js';
import { HttpsCertificate } from './https-certificate.js';
import { MethodTable } from './method-table.js';
import { RealtimeSockets } from '../compat/openai/realtime/realtime-sockets.js';
import { LiveSockets } from '../live/socket/live-sockets.js';
import { isSocketRequest, liveSocketRoute, serveSockets } from '../live/socket/socket-route.js';
import { refuse } from './problem-filter.js';
import { pathOf } from './refusal.js';
import { TUS_CAPABILITIES } from '../uploads/stored/tus-capabilities.js';
import { uploadTimeMs } from '../uploads/upload-pace.js';
import { OpenStreams } from './open-streams.js';
import { dropForwardedPorts } from './request-address.js';
import { logRequests } from './request-log.js';
import { traceRequests } from './request-trace.js';
import { headRefusal, MAX_HEAD_BYTES, requestIdOf } from './request-head.js';
import { serveInTurns } from './request-turns.js';
import { refuseUnreadable } from './unreadable.js';

/** Clients of the tus protocol ask there what the server can do. */
const TUS_PATH = /^\/api\/v1\/uploads(?:\/[^/]+)?$/;

type Context = ServiceContext<typeof gatewayConfig>;

/** Milliseconds for a request's head to arrive. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Milliseconds between looks at what is late. */
const CHECK_CONNECTIONS_EVERY_MS = 2000;
/** Requests on one connection, after which its client makes another: behind a balancer, connections spread over new replicas. */
const MAX_REQUESTS_PER_SOCKET = 100_000;
/** Milliseconds without a byte either way; longer than a long poll, and event streams have a heartbeat. Answers of a model have longer. */
const IDLE_TIMEOUT_MS = 90_000;
const CLOSE_IDLE_EVERY_MS = 20;
const YEAR_SECONDS = 31_536_000;

declare module 'fastify' {
  interface FastifyInstance {
    methodTable: MethodTable;
    /** PUBLIC_URL. */
    publicUrl: string | undefined;
    /** Milliseconds in which a JSON body must have arrived. */
    jsonBodyMs: number;
    /** The maximum size of a JSON body. */
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

/** Milliseconds beyond the announced Keep-Alive time: a busy client that still uses the connection does not find it closed. */
const KEEP_ALIVE_BUFFER_MS = 10_000;

/** The server with its limits and hooks; the module adds the routes. */
export function createHttpAdapter({ clock, config, ids, log, metrics }: Context): GatewayHttpAdapter {
  const certificate = HttpsCertificate.from(config, clock);
  const publicUrl = config.PUBLIC_URL;
  const cors = new Cors(config.CORS_ORIGINS);
  const atRoot = compatRoots(config.COMPAT_ROOTS);
  // As a browser's user types it, and as clients of other vendors' APIs request it.
  const routedUrl = (url: string) => atRoot(url.replace(/^\/(docs|problems|compat\/asr)\/(?=$|\?)/, '/$1'));
  const bounds = { maxHeaderSize: MAX_HEAD_BYTES, headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CHECK_CONNECTIONS_EVERY_MS, keepAliveTimeoutBuffer: KEEP_ALIVE_BUFFER_MS, requireHostHeader: false, shouldUpgradeCallback: (request: IncomingMessage) => isSocketRequest(request, atRoot) };
  const answers = new WeakMap<Duplex, ServerResponse>();
  const refuseUnread = (error: Error, socket: Duplex) => refuseUnreadable(error, socket, { id: ids.next('req'), publicUrl, routedUrl, last: answers.get(socket) });
  const adapter = new GatewayHttpAdapter({
    ...(certificate ? { https: { ...bounds, ...certificate.context, handshakeTimeout: HEADERS_TIMEOUT_MS } } : { http: bounds }),
    maxRequestsPerSocket: MAX_REQUESTS_PER_SOCKET,
    connectionTimeout: IDLE_TIMEOUT_MS,
    requestTimeout: longestRequestMs(config),
    ...(config.TRUSTED_PROXIES.length > 0 && { trustProxy: config.TRUSTED_PROXIES }),
    routerOptions: { maxParamLength: 1000 },
    rewriteUrl: ({ url = '/' }) => routedUrl(url),
    genReqId: (request: IncomingMessage) => requestIdOf(request, ids),
    return503OnClosing: false,
    frameworkErrors: refuse,
    clientErrorHandler: refuseUnread,
  });
  const server = adapter.getInstance();
  limitConnections(server.server, config, metrics);
  serveInTurns(server.server, certificate ? 'secureConnection' : 'connection');
  server.server.on('request', (request, response) => answers.set(request.socket, response));
  if (config.TRUSTED_PROXIES.length > 0) dropForwardedPorts(server.server);
  const methods = new MethodTable();
  if (certificate) serveTls(server, certificate, log);
  announceHsts(server.server, config);
  server.decorate('methodTable', methods);
  server.decorate('publicUrl', publicUrl);
  server.decorate('jsonBodyMs', uploadLimits(config).pace.stallMs);
  server.decorate('maxJsonBytes', config.JSON_BODY_MAX_BYTES);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.decorateRequest('caller', null);
  server.decorateRequest('refusedCaller', null);
  server.decorateRequest('link', null);
  server.decorateRequest('jsonBody', null);
  server.decorateRequest('claim', null);
  traceRequests(server);
  server.addHook('onRoute', ({ method, url }) => methods.add(method, url));
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    cors.allow(request, reply);
    const refusal = headRefusal(request.raw);
    if (refusal) refuse(refusal, request, reply);
    else if (request.method === 'OPTIONS') sendMethods(request, reply, cors, done);
    else done();
  });
  announceDeprecations(server);
  // Node would refuse the one without a word of ours, and hang up on the other.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  server.server.on('connect', (_request, socket) => refuseUnread(new Error('CONNECT'), socket));
  logRequests(server, log, metrics);
  bindCursors(server);
  tagAnswers(server);
  recordAnswers(server);
  compressAnswers(server);
  // Only for `reply.sendFile`: the pages say which files there are.
  void server.register(fastifyStatic, { root: SWAGGER_UI_FOLDER, serve: false, maxAge: '1h' });
  void adapter.register(multipart as unknown as Parameters<FastifyAdapter['register']>[0]);
  return adapter;
}

/** A connection that does not complete the handshake, such as one with plain HTTP, is closed without an answer. */
function serveTls(server: FastifyInstance, certificate: HttpsCertificate, log: Context['log']): void {
  const tls = server.server as unknown as TlsServer;
  tls.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  const stop = certificate.follow(tls, log);
  server.addHook('onClose', (_instance, done) => {
    stop();
    done();
  });
}

/** RFC 6797. On the server's event, so that refusals before the router carry it too. */
function announceHsts(server: FastifyInstance['server'], { HTTPS_CERT_FILE, HSTS_MAX_AGE_SECONDS: maxAge = HTTPS_CERT_FILE === undefined ? undefined : YEAR_SECONDS }: Context['config']): void {
  if (maxAge === undefined) return;
  server.prependListener('request', (_request, response) => response.setHeader('strict-transport-security', `max-age=${maxAge}`));
}

/** @throws ConfigError when the address cannot be bound */
export async function listen(app: INestApplication, { config, log }: Context): Promise<HttpListener> {
  warnOfHosts(config, log);
  const routes = [liveSocketRoute(app.get(LiveSockets)), app.get(DeepgramSockets).route, ...app.get(RealtimeSockets).routes];
  const server = app.getHttpAdapter().getInstance() as FastifyInstance;
  const auditLog = app.get(AuditLog);
  if (auditLog.isOn) server.auditLog = auditLog;
  serveSockets(server, routes, log);
  try {
    await app.listen(config.PORT, config.HOST);
  } catch (error) {
    throw bindError(error, { portSetting: 'PORT', port: config.PORT, hostSetting: 'HOST', host: config.HOST });
  }
  const address = app.getHttpServer().address() as { port: number };
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  const scheme = config.HTTPS_CERT_FILE === undefined ? 'http' : 'https';
  const url = `${scheme}://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${address.port}`;
  return { url, close: (limitMs) => drain(app, limitMs) };
}

/** A proxy that passes on any Host, or a client, could lead others to a server of its own by the URLs of links, uploads and sockets, which have secrets. */
function warnOfHosts({ HOST, PUBLIC_URL }: Context['config'], log: Context['log']): void {
  if (PUBLIC_URL === undefined && !isLoopback(HOST)) log.warn({ setting: 'PUBLIC_URL', host: HOST }, 'PUBLIC_URL is not set: the URLs of links, uploads and sockets have the Host that each request names');
}

/** The time limit of a request whose body is not read; the pace limit of uploads is lower. */
function longestRequestMs(config: Context['config']): number {
  const { maxBytes, pace } = uploadLimits(config);
  return uploadTimeMs({ ...pace, startMs: 2 * pace.startMs }, maxBytes);
}

/** Clients of live sessions are sent elsewhere. Streams and long polls end with what they have; an upload that exceeds the limit is cut off. */
async function drain(app: INestApplication, limitMs: number): Promise<void> {
  app.get(OpenStreams).close();
  await app.get(LiveSockets).drain(limitMs / 2);
  const limit = setTimeout(() => app.getHttpServer().closeAllConnections(), limitMs);
  try {
    await app.getHttpAdapter().close();
  } finally {
    clearTimeout(limit);
  }
}

/** The methods of a path are in the API description, so that no key is needed. */
function sendMethods(request: FastifyRequest, reply: FastifyReply, cors: Cors, otherwise: () => void): void {
  const path = pathOf(request.url);
  const allowed = request.server.methodTable.allowed(path);
  if (allowed.length === 0) return otherwise();
  cors.allowMethods(request, reply, allowed);
  if (TUS_PATH.test(path)) reply.headers(TUS_CAPABILITIES);
  void reply.status(204).header('allow', allowed.join(', ')).send();
}
