import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import { hashesEqual, hashOfKey, type RandomBytes } from '../../keys/api-key-format.js';
import { RANDOM_BYTES } from '../../keys/random-bytes.js';
import type { LiveSession, SocketToken } from './live-session.js';

/** Milliseconds for which a token opens a socket. */
const TOKEN_MS = 60_000;
const SECRET_BYTES = 32;
/** Unused tokens of a session; of more, the oldest are dropped. */
const MAX_TOKENS = 16;

export interface NewToken {
  /** Shown once. */
  token: string;
  stored: SocketToken;
}

/** One-use tokens that open the socket of a session: `plv_` and 256 random bits, in characters that a subprotocol may have. */
@Injectable()
export class LiveTokens {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(RANDOM_BYTES) private readonly random: RandomBytes,
  ) {}

  make(credentialId: string): NewToken {
    const token = `plv_${Buffer.from(this.random(SECRET_BYTES)).toString('base64url')}`;
    return { token, stored: { hash: hashOfKey(token), expiresAt: new Date(this.clock.now().getTime() + TOKEN_MS).toISOString(), credentialId } };
  }

  /** The session with one more token. */
  add(session: LiveSession, token: SocketToken): LiveSession {
    return { ...session, tokens: [...this.valid(session), token].slice(-MAX_TOKENS) };
  }

  /** The session without the token, which was used. @throws AppError live_token_invalid */
  use(session: LiveSession, token: string): LiveSession {
    const hash = hashOfKey(token);
    const valid = this.valid(session);
    if (!valid.some((each) => hashesEqual(each.hash, hash))) throw invalidToken();
    return { ...session, tokens: valid.filter((each) => each.hash !== hash) };
  }

  /** The key or token that the token was issued to; undefined when it is none of the session. */
  issuerOf({ tokens }: Pick<LiveSession, 'tokens'>, token: string): string | undefined {
    const hash = hashOfKey(token);
    return tokens.find((each) => hashesEqual(each.hash, hash))?.credentialId;
  }

  private valid({ tokens }: LiveSession): SocketToken[] {
    const now = this.clock.now().toISOString();
    return tokens.filter(({ expiresAt }) => expiresAt > now);
  }
}

export const invalidToken = () => new AppError({ code: 'live_token_invalid', message: 'The token is wrong, was used, or has expired.' });
