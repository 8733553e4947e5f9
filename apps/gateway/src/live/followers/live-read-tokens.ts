import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { FastifyRequest } from 'fastify';
import { attemptOf } from '../../idempotency/new-id.js';
import { AccessTokens } from '../../keys/access-tokens.js';
import type { Caller } from '../../keys/authenticator.js';
import { requireScopes } from '../../keys/key-guard.js';
import { isOver } from '../session/live-session.js';
import { liveEnded, LiveSessions } from '../session/live-sessions.js';

/** Tokens for followers: short-lived tokens that read one session and its job, until its longest end. */
@Injectable()
export class LiveReadTokens {
  constructor(
    @Inject(AccessTokens) private readonly tokens: Pick<AccessTokens, 'issue'>,
    @Inject(LiveSessions) private readonly sessions: Pick<LiveSessions, 'get'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws AppError not_found, live_ended; insufficient_scope for a token, as tokens make no tokens */
  async issue(caller: Caller, sessionId: string, request: Pick<FastifyRequest, 'claim'>): Promise<{ token: string; expiresAt: string }> {
    if (caller.token) throw new AppError({ code: 'insufficient_scope', message: 'A token for followers requires an API key; a token does not suffice.' });
    requireScopes(caller, ['transcriptions:read']);
    const session = await this.sessions.get(caller.accountId, sessionId);
    const expiresInSeconds = Math.ceil((Date.parse(session.endsBy) - this.clock.now().getTime()) / 1000);
    if (isOver(session) || expiresInSeconds <= 0) throw liveEnded();
    const { token, secret } = await this.tokens.issue(caller, { attempt: attemptOf('tok', request), scopes: ['transcriptions:read'], expiresInSeconds, jobId: sessionId });
    return { token: secret, expiresAt: token.expiresAt };
  }
}
