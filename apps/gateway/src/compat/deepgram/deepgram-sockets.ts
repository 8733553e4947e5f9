import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { invalidFields } from '../../http/field-errors.js';
import type { Caller } from '../../keys/authenticator.js';
import { LiveEndings } from '../../live/ending/live-endings.js';
import { LiveCreation } from '../../live/live-creation.js';
import { creationRequest } from '../../transcriptions/creation.js';
import { LiveSessions } from '../../live/session/live-sessions.js';
import { LiveSockets } from '../../live/socket/live-sockets.js';
import type { SocketRoute } from '../../live/socket/socket-route.js';
import { RequestRules } from '../../transcriptions/request-rules.js';
import { CompatModels } from '../compat-models.js';
import { SocketCallers } from '../socket-callers.js';
import { deepgramLiveRequest, liveBodyOf } from './deepgram-live-request.js';
import { DeepgramMessages } from './deepgram-messages.js';
import type { DeepgramQuery } from './deepgram-query.js';

/** The subprotocol that pages offer before their key, as they cannot send headers. */
const KEY_FOLLOWS = /^(?:token|bearer)$/i;

interface OpenedStream {
  id: string;
  token: string;
  protocol: DeepgramMessages;
}

/** Deepgram's API for streams: a translator to the live sessions of this server. */
@Injectable()
export class DeepgramSockets {
  private readonly opened = new WeakMap<FastifyRequest, OpenedStream>();

  constructor(
    @Inject(SocketCallers) private readonly callers: SocketCallers,
    @Inject(CompatModels) private readonly models: CompatModels,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(LiveCreation) private readonly creation: LiveCreation,
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(LiveSockets) private readonly sockets: LiveSockets,
    @Inject(LiveEndings) private readonly endings: Pick<LiveEndings, 'begin'>,
    @Inject(LOGGER) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  readonly route: SocketRoute = {
    path: '/compat/deepgram/v1/listen',
    admit: (request, reply) => this.admit(request, reply),
    accept: (socket, request) => this.accept(socket, request),
  };

  /** Makes the session before the upgrade, so that a refusal has its status. */
  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<Record<string, string>> {
    const caller = await this.callers.admit(request, reply, { key: offeredKey(request) });
    const stream = await this.open(caller, request);
    this.opened.set(request, stream);
    this.endUnopened(stream.id, request);
    return { 'dg-request-id': stream.id, 'x-parlance-transcription-id': stream.id };
  }

  private async open(caller: Caller, request: FastifyRequest): Promise<OpenedStream> {
    const query = request.query as DeepgramQuery;
    const asked = deepgramLiveRequest(query);
    const body = liveBodyOf(query, asked, await this.models.resolve('deepgram', asked.model));
    const wrong = await this.rules.violations(body);
    if (wrong.length > 0) throw invalidFields(wrong);
    const { accountId } = caller;
    const { id } = await this.creation.create(creationRequest(caller, request.id), body, {});
    const { token } = await this.sessions.issueToken(caller, id);
    const { createdAt } = await this.sessions.get(accountId, id);
    return { id, token, protocol: new DeepgramMessages({ id, createdAt }, asked) };
  }

  /** Ends the session of a client that is gone before its socket is open: nothing else would, before its time to connect is over. */
  private endUnopened(id: string, request: FastifyRequest): void {
    const end = () => {
      if (!this.opened.delete(request)) return;
      this.endings.begin(id, 'window').catch((error: unknown) => this.log.warn({ err: error, job_id: id }, 'a live session could not be ended at once'));
    };
    if (request.socket.destroyed) end();
    else request.socket.once('close', end);
  }

  private accept(socket: WebSocket, request: FastifyRequest): void {
    const stream = this.opened.get(request);
    if (!stream) return socket.terminate();
    this.opened.delete(request);
    const { headers: { origin, host }, ip, socket: connection } = request;
    const opening = { headers: { origin, host }, query: { token: stream.token }, ip, socket: connection };
    this.sockets.accept(socket, { id: stream.id, after: 0, request: opening }, request.id, stream.protocol);
  }
}

function offeredKey({ headers }: FastifyRequest): string | undefined {
  const [scheme = '', key] = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return KEY_FOLLOWS.test(scheme) && key !== '' ? key : undefined;
}
