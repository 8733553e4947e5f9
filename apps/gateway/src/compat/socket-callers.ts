import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { recordChange } from '../audit/audit-requests.js';
import type { GatewayConfig } from '../gateway.config.js';
import { OpenStreams } from '../http/open-streams.js';
import { addressOf } from '../http/request-address.js';
import type { TokenUse } from '../keys/access-tokens.js';
import { Authenticator, type Caller } from '../keys/authenticator.js';
import { requireScopes } from '../keys/key-guard.js';
import { KeyUses } from '../keys/key-uses.js';
import { RequestRates } from '../limits/request-rates.js';
import { SocketOrigins } from '../live/socket/socket-origins.js';
import { bearerOf } from './compat-credentials.js';
import { compatFormOf } from './compat-form.js';

interface OfferedKey {
  key: string | undefined;
  use?: TokenUse;
}

/** Lets in the callers of sockets that have no session yet, as the guard of keys does for other requests. */
@Injectable()
export class SocketCallers {
  private readonly origins: SocketOrigins;

  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(KeyUses) private readonly uses: Pick<KeyUses, 'note'>,
    @Inject(RequestRates) private readonly rates: Pick<RequestRates, 'admit'>,
    @Inject(OpenStreams) private readonly streams: Pick<OpenStreams, 'holdConnection'>,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'CORS_ORIGINS' | 'PUBLIC_URL'>,
  ) {
    this.origins = new SocketOrigins(config);
  }

  /**
   * @param offered a key that came by another way than the headers of keys, and the use of a token that is let in for that use alone
   * @throws AppError unauthenticated, insufficient_scope, rate_limited, too_many_streams, live_origin_refused
   */
  async admit(request: FastifyRequest, reply: FastifyReply, { key, use }: OfferedKey): Promise<Caller> {
    this.origins.require(request);
    const apiKey = request.headers['x-api-key'];
    const authorization = key === undefined ? bearerOf(request.headers.authorization) : `Bearer ${key}`;
    const headers = { authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined, forms: compatFormOf(request.url)?.keyForms, ...(use && { use }) };
    const caller = await this.authenticator.authenticate(headers, addressOf(request), (refused) => (request.refusedCaller = refused));
    request.caller = caller;
    this.uses.note(caller.keyId);
    await this.rates.admit(caller, reply);
    requireScopes(caller, ['transcriptions:write']);
    const { jobId, uploadId } = caller.token ?? {};
    if (jobId !== undefined || uploadId !== undefined) throw new AppError({ kind: 'forbidden', code: 'insufficient_scope', message: 'The token is bound to one resource, and cannot open a stream.' });
    await this.streams.holdConnection(request.socket, caller);
    await recordChange(request);
    return caller;
  }
}
