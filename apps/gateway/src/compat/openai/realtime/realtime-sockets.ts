import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../../gateway.config.js';
import { callerOf } from '../../../keys/key-guard.js';
import { liveLimits } from '../../../live/live-config.js';
import type { LiveWebSocket } from '../../../live/socket/live-web-socket.js';
import type { SocketRoute } from '../../../live/socket/socket-route.js';
import { SocketCallers } from '../../socket-callers.js';
import { AccountPlaces } from '../account-places.js';
import { under } from '../openai-paths.js';
import { realtimeCredentials } from './realtime-credentials.js';
import { RealtimePeer } from './realtime-peer.js';
import { RealtimeSessions } from './realtime-sessions.js';
import { defaultSettings, updateSettings, type Dialect, type RealtimeSettings } from './realtime-settings.js';

/** Named by clients in the address for conversations; for transcription sessions it is no model for speech. */
const CONVERSATION_MODEL = /^gpt-(?:4o-(?:mini-)?)?realtime/;

/** OpenAI takes 15 MiB of audio in an event, here in Base64 and with the other fields. */
const MAX_EVENT_BYTES = 20 * 1024 * 1024 + 64 * 1024;
/** Connections of an account that may send such events at once: one takes some 75 MiB while it is decoded. Further ones have the limit of other sockets. */
const MAX_LARGE = 4;

/** The WebSockets of OpenAI's realtime transcription protocol. */
@Injectable()
export class RealtimeSockets {
  private readonly largeEvents = new AccountPlaces(MAX_LARGE);

  constructor(
    @Inject(SocketCallers) private readonly callers: SocketCallers,
    @Inject(RealtimeSessions) private readonly sessions: RealtimeSessions,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  readonly routes: SocketRoute[] = under('/realtime').map((path) => ({
    path,
    admit: (request, reply) => this.admit(request, reply),
    accept: (socket, request) => this.accept(socket, request),
  }));

  /** A client that is not let in gets a status instead of the upgrade, as from OpenAI. @throws AppError */
  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<Record<string, string>> {
    request.caller = await this.callers.admit(request, reply, { key: realtimeCredentials(request).apiKey, use: 'realtime' });
    this.settingsOf(request);
    return {};
  }

  private accept(socket: LiveWebSocket, request: FastifyRequest): void {
    const release = this.largeEvents.take(callerOf(request).accountId);
    if (release) {
      socket.allowFrames(MAX_EVENT_BYTES);
      socket.once('close', release);
    }
    const { idleMs } = liveLimits(this.config);
    new RealtimePeer(socket, { sessions: this.sessions, caller: callerOf(request), request, idleMs, ...this.settingsOf(request) }).listen();
  }

  /** The session of an ephemeral key, or the default one. @throws AppError invalid_request */
  private settingsOf(request: FastifyRequest): { settings: RealtimeSettings; dialect: Dialect } {
    const { session, isBeta } = realtimeCredentials(request);
    const { model } = request.query as { model?: unknown };
    const settings = defaultSettings(typeof model === 'string' && !CONVERSATION_MODEL.test(model) ? model : undefined);
    const dialect = isBeta ? 'beta' : 'ga';
    const form = typeof session === 'object' && session !== null && 'type' in session ? 'ga' : 'beta';
    return { settings: session === undefined ? settings : updateSettings(settings, session, form), dialect };
  }
}
