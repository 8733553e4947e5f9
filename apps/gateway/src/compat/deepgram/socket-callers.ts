import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from '../../http/request-address.js';
import { Authenticator, type Caller } from '../../keys/authenticator.js';
import { requireScopes } from '../../keys/key-guard.js';
import { KeyUses } from '../../keys/key-uses.js';
import { RequestRates } from '../../limits/request-rates.js';
import { SocketAdmission } from '../../live/socket/socket-admission.js';
import { bearerOf } from '../compat-credentials.js';

/** The subprotocol that pages offer before their key, as they cannot send headers. */
const KEY_FOLLOWS = /^(?:token|bearer)$/i;

/** Lets in the callers of sockets that have no session yet, as the guard of keys does for other requests. */
@Injectable()
export class SocketCallers {
  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(KeyUses) private readonly uses: Pick<KeyUses, 'note'>,
    @Inject(RequestRates) private readonly rates: Pick<RequestRates, 'admit'>,
    @Inject(SocketAdmission) private readonly admission: Pick<SocketAdmission, 'requireOrigin'>,
  ) {}

  /** @throws AppError unauthenticated, insufficient_scope, rate_limited, live_origin_refused */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    this.admission.requireOrigin(request);
    const apiKey = request.headers['x-api-key'];
    const caller = await this.authenticator.authenticate({ authorization: offeredKey(request) ?? bearerOf(request.headers.authorization), apiKey: typeof apiKey === 'string' ? apiKey : undefined }, addressOf(request));
    this.uses.note(caller.keyId);
    await this.rates.admit(caller, reply);
    requireScopes(caller, ['transcriptions:write']);
    const { jobId, uploadId } = caller.token ?? {};
    if (jobId !== undefined || uploadId !== undefined) throw new AppError({ kind: 'forbidden', code: 'insufficient_scope', message: 'The token is bound to one resource, and cannot open a stream.' });
    return caller;
  }
}

function offeredKey({ headers }: FastifyRequest): string | undefined {
  const [scheme = '', key] = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return KEY_FOLLOWS.test(scheme) && key !== undefined && key !== '' ? `Bearer ${key}` : undefined;
}
