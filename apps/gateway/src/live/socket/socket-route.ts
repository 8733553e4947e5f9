import type { IncomingMessage } from 'node:http';
import websocket from '@fastify/websocket';
import { LIVE_PROTOCOL } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LiveSockets } from './live-sockets.js';
import type { WebSocket } from 'ws';
import { LiveWebSocket } from './live-web-socket.js';

const SOCKET_PATH = '/api/v1/live/:id/socket';
const SOCKET_URL = /^\/api\/v1\/live\/[^/?]+\/socket(?:\?|$)|^(?:\/compat\/[a-z]+)?(?:\/v1)?\/realtime(?:\?|$)/;

/** The largest frame that is read at all. Sessions have a lower limit, which `ready` states. */
const MAX_FRAME_BYTES = 1024 * 1024;
/** Milliseconds for a client to answer the end of a connection. */
const CLOSE_MS = 2000;

const SOCKET_OPTIONS = {
  maxPayload: MAX_FRAME_BYTES,
  perMessageDeflate: false,
  closeTimeout: CLOSE_MS,
  WebSocket: LiveWebSocket as never,
  // The token or key, which is offered beside it, is not repeated.
  handleProtocols: (offered: Set<string>) => [LIVE_PROTOCOL, 'realtime'].find((protocol) => offered.has(protocol)) ?? false,
};

/** True for a request that becomes a WebSocket. An upgrade to anything else, such as HTTP/2, is not offered: such a request is answered as any other. */
export const isSocketRequest = ({ method, url = '', headers: { upgrade = '' } }: IncomingMessage): boolean =>
  method === 'GET' && SOCKET_URL.test(url) && upgrade.toLowerCase() === 'websocket';

type Refuse = (error: AppError, request: FastifyRequest, reply: FastifyReply) => void;

/** Sockets of another vendor's protocol. */
export interface CompatSockets {
  paths: readonly string[];
  /** Answers a client that is not let in, instead of the upgrade. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  accept(socket: WebSocket, request: FastifyRequest): void;
}

interface Sockets {
  live: LiveSockets;
  compat: readonly CompatSockets[];
}

/** Adds the routes of the sockets of live sessions, in a scope of their own: the hooks of the library concern no other route. */
export function serveSockets(server: FastifyInstance, { live: sockets, compat }: Sockets, refuse: Refuse): void {
  void server.register(async (scope) => {
    await scope.register(websocket, { options: SOCKET_OPTIONS, errorHandler });
    for (const each of compat) serveCompat(scope, each, refuse);
    scope.route({
      method: 'GET',
      url: SOCKET_PATH,
      handler: (request, reply) => refuse(upgradeRequired(), request, reply.header('upgrade', 'websocket')),
      wsHandler: (socket, request) => {
        request.span?.end();
        const { id } = request.params as { id: string };
        sockets.accept(socket, { id, after: afterOf(request), request }, request.id);
      },
    });
  });
}

function serveCompat(scope: FastifyInstance, sockets: CompatSockets, refuse: Refuse): void {
  for (const url of sockets.paths) {
    scope.route({
      method: 'GET',
      url,
      preValidation: async (request, reply) => (isSocketRequest(request.raw) ? sockets.admit(request, reply) : undefined),
      handler: (request, reply) => refuse(upgradeRequired(), request, reply.header('upgrade', 'websocket')),
      wsHandler: (socket, request) => {
        request.span?.end();
        sockets.accept(socket, request);
      },
    });
  }
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
