import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { GatewayConfig } from '../../../gateway.config.js';
import { describeProblem } from '../../../http/problem.js';
import { refusedRequest } from '../../../http/problem-filter.js';
import { addressOf } from '../../../http/request-address.js';
import { Authenticator } from '../../../keys/authenticator.js';
import { callerOf, requireScopes } from '../../../keys/key-guard.js';
import { KeyUses } from '../../../keys/key-uses.js';
import { RequestRates } from '../../../limits/request-rates.js';
import { liveLimits } from '../../../live/live-config.js';
import { SocketOrigins } from '../../../live/socket/socket-origins.js';
import type { CompatSockets } from '../../../live/socket/socket-route.js';
import { openAiError } from '../openai-error.js';
import { under } from '../openai-paths.js';
import { realtimeCredentials } from './realtime-credentials.js';
import { RealtimePeer } from './realtime-peer.js';
import { RealtimeSessions } from './realtime-sessions.js';
import { defaultSettings, updateSettings, type Dialect, type RealtimeSettings } from './realtime-settings.js';

/** Named by clients in the address for conversations; for transcription sessions it is no model for speech. */
const CONVERSATION_MODEL = /^gpt-(?:4o-(?:mini-)?)?realtime/;

/** The WebSockets of OpenAI's realtime transcription protocol. */
@Injectable()
export class RealtimeSockets implements CompatSockets {
  readonly paths = under('/realtime');
  private readonly origins: SocketOrigins;

  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(KeyUses) private readonly uses: KeyUses,
    @Inject(RequestRates) private readonly rates: Pick<RequestRates, 'admit'>,
    @Inject(RealtimeSessions) private readonly sessions: RealtimeSessions,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {
    this.origins = new SocketOrigins(config);
  }

  /** Answers a client that is not let in, as OpenAI does, by a status instead of the upgrade. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    try {
      this.origins.require(request);
      const { apiKey } = realtimeCredentials(request);
      const caller = await this.authenticator.authenticate({ authorization: apiKey && `Bearer ${apiKey}` }, addressOf(request));
      request.caller = caller;
      this.uses.note(caller.keyId);
      await this.rates.admit(caller, reply);
      requireScopes(caller, ['transcriptions:write']);
      this.settingsOf(request);
      return undefined;
    } catch (error) {
      const { problem, headers } = describeProblem(error, refusedRequest(request));
      const { status, body } = openAiError(problem, problem.status);
      return reply.status(status).headers(headers).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
    }
  }

  accept(socket: WebSocket, request: FastifyRequest): void {
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
