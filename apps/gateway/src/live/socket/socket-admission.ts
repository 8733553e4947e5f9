import { Inject, Injectable } from '@nestjs/common';
import { LIVE_TOKEN_PREFIX } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../gateway.config.js';
import { OpenStreams } from '../../http/open-streams.js';
import { addressOf } from '../../http/request-address.js';
import { Authenticator, credentialOf, type Caller } from '../../keys/authenticator.js';
import { requireScopes } from '../../keys/key-guard.js';
import { WrongKeys } from '../../keys/wrong-keys.js';
import { invalidToken } from '../session/live-tokens.js';
import { requireListener } from '../session/socket-access.js';
import { liveEnded, LiveSessions, type RedeemedToken } from '../session/live-sessions.js';
import type { LiveSession } from '../session/live-session.js';
import { SocketOrigins } from './socket-origins.js';

/** A request for the socket of a session. */
export interface SocketRequest {
  id: string;
  /** The last sequence that the client has; undefined when the address has another value there. */
  after: number | undefined;
  request: Pick<FastifyRequest, 'headers' | 'query' | 'ip' | 'socket'>;
}

interface AdmittedClient {
  session: LiveSession;
  /** The key or token of the client, and the key that created the session: when one is refused, the connection ends. */
  credentialIds: ReadonlySet<string>;
}

/** Lets clients in to the socket of a session: by a token of the session, or by a key of its account. */
@Injectable()
export class SocketAdmission {
  private readonly origins: SocketOrigins;

  constructor(
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(WrongKeys) private readonly wrongTokens: Pick<WrongKeys, 'count'>,
    @Inject(OpenStreams) private readonly streams: Pick<OpenStreams, 'holdConnection'>,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'CORS_ORIGINS' | 'PUBLIC_URL'>,
  ) {
    this.origins = new SocketOrigins(config);
  }

  /** The session, in which nothing is changed except that the token is used. @throws AppError not_found, live_token_invalid, rate_limited for a wrong token after too many, unauthenticated, insufficient_scope, live_ended, live_origin_refused, too_many_streams */
  async admit({ id, request }: SocketRequest): Promise<AdmittedClient> {
    this.origins.require(request);
    const token = tokenOf(request);
    const { session, credentialId } = await (token === undefined ? this.admitKey(id, request) : this.admitToken(id, token, addressOf(request)));
    const credentialIds = new Set([credentialId, session.keyId]);
    for (const each of credentialIds) {
      const refusal = await this.authenticator.refusalOf(each);
      if (refusal) throw refusal;
    }
    await this.streams.holdConnection(request.socket, session);
    return { session, credentialIds };
  }

  private async admitToken(id: string, token: string, address: string): Promise<RedeemedToken> {
    try {
      return await this.sessions.redeem(id, token);
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unauthenticated') this.wrongTokens.count(address);
      throw error;
    }
  }

  private async admitKey(id: string, request: SocketRequest['request']): Promise<RedeemedToken> {
    const { authorization, 'x-api-key': apiKey } = request.headers;
    if (authorization === undefined && apiKey === undefined) throw invalidToken();
    const caller = await this.authenticator.authenticate({ authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined }, addressOf(request));
    requireScopes(caller, ['transcriptions:write']);
    requireOwnToken(caller, id);
    const session = requireListener(caller, await this.sessions.get(caller.accountId, id));
    if (session.status !== 'open') throw liveEnded();
    return { session, credentialId: credentialOf(caller) };
  }
}

/** In a subprotocol, or in the query for clients that cannot choose these. */
function tokenOf({ headers, query }: SocketRequest['request']): string | undefined {
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  const offered = protocols.find((protocol) => protocol.startsWith(LIVE_TOKEN_PREFIX))?.slice(LIVE_TOKEN_PREFIX.length);
  const { token } = query as { token?: unknown };
  return offered ?? (typeof token === 'string' ? token : undefined);
}

/** A token that is bound to a job opens the session of that job alone. */
function requireOwnToken({ token }: Caller, id: string): void {
  if (!token || (token.uploadId === undefined && (token.jobId ?? id) === id)) return;
  throw notFound('The live session');
}
