import type { IncomingMessage } from 'node:http';
import websocket from '@fastify/websocket';
import { LIVE_PROTOCOL } from '@parlance/contracts';
import { AppError, toAppError, type Logger } from '@parlance/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logUnexpected, refuse } from '../../http/problem-filter.js';
import type { LiveSockets } from './live-sockets.js';
import type { WebSocket } from 'ws';
import { LiveWebSocket } from './live-web-socket.js';

const SOCKET_PATH = '/api/v1/live/:id/socket';
/** The paths of all sockets. */
const SOCKET_URL = /^\/(?:api\/v1\/live\/[^/?]+\/socket|compat\/deepgram\/v1\/listen|(?:compat\/openai\/)?(?:v1\/)?realtime)(?:\?|$)/;

/** The largest frame that is read at all. Sessions have a lower limit, which `ready` states. */
const MAX_FRAME_BYTES = 1024 * 1024;
/** Milliseconds for a client to answer the end of a connection. */
const CLOSE_MS = 2000;

/** Our own subprotocol, and those that clients of other vendors' APIs offer before their key. */
const PROTOCOLS = [LIVE_PROTOCOL, 'realtime', 'token', 'bearer'];

const SOCKET_OPTIONS = {
  maxPayload: MAX_FRAME_BYTES,
  perMessageDeflate: false,
  // One frame in a turn of the event loop: the frames of a packet hold up no other connection.
  allowSynchronousEvents: false,
  closeTimeout: CLOSE_MS,
  WebSocket: LiveWebSocket as never,
  // A token or key, which is offered beside one of these, is not repeated.
  handleProtocols: (offered: Set<string>) => (PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false) as string | false,
};

/**
 * True for a request that becomes a WebSocket. An upgrade to another protocol, such as HTTP/2, is ignored: the request gets a normal HTTP answer.
 * @param servedUrl the URL that a request's URL stands for
 */
export const isSocketRequest = ({ method, url = '', headers: { upgrade = '' } }: IncomingMessage, servedUrl: (url: string) => string): boolean =>
  method === 'GET' && SOCKET_URL.test(servedUrl(url)) && upgrade.toLowerCase() === 'websocket';

/** An address that is a WebSocket. */
export interface SocketRoute {
  path: string;
  /** Runs before the upgrade. @returns headers of its answer. @throws AppError for an answer with its status instead */
  admit?(request: FastifyRequest, reply: FastifyReply): Promise<Readonly<Record<string, string>>>;
  accept(socket: LiveWebSocket, request: FastifyRequest): void;
}

/** The route of the sockets of live sessions, in our own protocol. */
export const liveSocketRoute = (sockets: LiveSockets): SocketRoute => ({
  path: SOCKET_PATH,
  accept: (socket, request) => sockets.accept(socket, { id: (request.params as { id: string }).id, after: afterOf(request), request }, request.id),
});

/** Adds the routes of sockets, in a scope of their own: the hooks of the library concern no other route. */
export function serveSockets(server: FastifyInstance, routes: readonly SocketRoute[], log: Logger): void {
  void server.register(async (scope) => {
    await scope.register(websocket, { options: SOCKET_OPTIONS, errorHandler });
    const admitted = new WeakMap<IncomingMessage, Readonly<Record<string, string>>>();
    scope.websocketServer.on('headers', (lines, raw) => lines.push(...Object.entries(admitted.get(raw) ?? {}).map(([name, value]) => `${name}: ${value}`)));
    for (const route of routes) addRoute(scope, route, admitted, log);
  });
}

function addRoute(scope: FastifyInstance, { path, admit, accept }: SocketRoute, admitted: WeakMap<IncomingMessage, Readonly<Record<string, string>>>, log: Logger): void {
  scope.route({
    method: 'GET',
    url: path,
    preHandler: async (request, reply) => {
      if (!admit || !request.ws) return;
      try {
        admitted.set(request.raw, await admit(request, reply));
      } catch (error) {
        logUnexpected(toAppError(error), request, log);
        refuse(error, request, reply);
        return reply;
      }
    },
    handler: (request, reply) => refuse(upgradeRequired(), request, reply.header('upgrade', 'websocket')),
    wsHandler: (socket, request) => {
      request.span?.end();
      accept(socket as LiveWebSocket, request);
    },
  });
}

/** The library closes a connection that breaks its protocol by itself, with a code. */
function errorHandler(error: Error & { code?: string }, socket: WebSocket): void {
  if (!error.code?.startsWith('WS_ERR_')) socket.terminate();
}

/** @returns undefined when the value is no sequence */
function afterOf({ query }: FastifyRequest): number | undefined {
  const { after = '0' } = query as { after?: unknown };
  return typeof after === 'string' && /^\d{1,9}$/.test(after) ? Number(after) : undefined;
}

const upgradeRequired = () => new AppError({ code: 'live_upgrade_required', message: 'This address is a WebSocket: connect to it with a WebSocket client.' });
