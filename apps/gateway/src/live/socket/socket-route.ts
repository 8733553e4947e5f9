import type { IncomingMessage } from 'node:http';
import websocket from '@fastify/websocket';
import { LIVE_PROTOCOL } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LiveSockets } from './live-sockets.js';
import type { WebSocket } from 'ws';
import { LiveWebSocket } from './live-web-socket.js';

const SOCKET_PATH = '/api/v1/live/:id/socket';
const SOCKET_URL = /^\/api\/v1\/live\/[^/?]+\/socket(?:\?|$)/;

/** The largest frame that is read at all. Sessions have a lower limit, which `ready` states. */
const MAX_FRAME_BYTES = 1024 * 1024;
/** Milliseconds for a client to answer the end of a connection. */
const CLOSE_MS = 2000;

const SOCKET_OPTIONS = {
  maxPayload: MAX_FRAME_BYTES,
  perMessageDeflate: false,
  closeTimeout: CLOSE_MS,
  WebSocket: LiveWebSocket as never,
  // The token, which is offered beside it, is not repeated.
  handleProtocols: (offered: Set<string>) => (offered.has(LIVE_PROTOCOL) ? LIVE_PROTOCOL : false) as string | false,
};

/** True for a request that becomes a WebSocket. An upgrade to anything else, such as HTTP/2, is not offered: such a request is answered as any other. */
export const isSocketRequest = ({ method, url = '', headers: { upgrade = '' } }: IncomingMessage): boolean =>
  method === 'GET' && SOCKET_URL.test(url) && upgrade.toLowerCase() === 'websocket';

type Refuse = (error: AppError, request: FastifyRequest, reply: FastifyReply) => void;

/** Adds the route of the sockets of live sessions, in a scope of its own: the hooks of the library concern no other route. */
export function serveSockets(server: FastifyInstance, sockets: LiveSockets, refuse: Refuse): void {
  void server.register(async (scope) => {
    await scope.register(websocket, { options: SOCKET_OPTIONS, errorHandler });
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
