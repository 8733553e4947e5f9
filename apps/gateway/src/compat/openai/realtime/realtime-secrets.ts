import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import { z } from 'zod';
import { invalidFields } from '../../../http/field-errors.js';
import { AccessTokens } from '../../../keys/access-tokens.js';
import type { Caller } from '../../../keys/authenticator.js';
import { invalidValues } from '../../request-texts.js';
import { ephemeralKey } from './realtime-credentials.js';
import { RealtimeSessions } from './realtime-sessions.js';
import { defaultSettings, sessionJson, updateSettings, type Dialect } from './realtime-settings.js';

/** Seconds, as OpenAI has them: bounds and default of client secrets, and the fixed time of the secrets before them. */
const MAX_SECONDS = 7200;
const DEFAULT_SECONDS = 600;
const BETA_SECONDS = 60;
/** Bytes of the session in an ephemeral key, which is a part of a header. */
const MAX_SESSION_BYTES = 4096;

const secretRequest = z.object({
  expires_after: z.object({ anchor: z.literal('created_at').default('created_at'), seconds: z.int().min(10).max(MAX_SECONDS).default(DEFAULT_SECONDS) }).optional(),
  session: z.looseObject({ type: z.literal('transcription', 'This server has transcription sessions only.') }).default({ type: 'transcription' }),
});

interface Secret {
  value: string;
  /** Seconds since the epoch. */
  expires_at: number;
}

/** Ephemeral keys, by which pages open a session without the account's key: tokens that create live sessions. */
@Injectable()
export class RealtimeSecrets {
  constructor(
    @Inject(AccessTokens) private readonly tokens: Pick<AccessTokens, 'issue'>,
    @Inject(RealtimeSessions) private readonly sessions: Pick<RealtimeSessions, 'check'>,
  ) {}

  /** @throws AppError invalid_request, insufficient_scope */
  async create(caller: Caller, body: unknown): Promise<Secret & { session: object }> {
    const { data, error } = secretRequest.safeParse(body ?? {}, { reportInput: true });
    if (error) throw invalidValues(error);
    const { expires_after: { seconds } = { seconds: DEFAULT_SECONDS }, session } = data;
    return this.issue(caller, session, seconds, 'ga');
  }

  /** In the form before: the session, with the secret in it. @throws AppError invalid_request, insufficient_scope */
  async createSession(caller: Caller, body: unknown): Promise<object> {
    const { value, expires_at: expiresAt, session } = await this.issue(caller, body ?? {}, BETA_SECONDS, 'beta');
    return { ...session, client_secret: { value, expires_at: expiresAt } };
  }

  private async issue(caller: Caller, session: object, seconds: number, dialect: Dialect): Promise<Secret & { session: object }> {
    if (caller.token) throw new AppError({ kind: 'forbidden', code: 'insufficient_scope', message: 'An ephemeral key needs an API key; a token does not suffice.' });
    if (Buffer.byteLength(JSON.stringify(session)) > MAX_SESSION_BYTES) throw invalidFields([{ pointer: '/session', code: 'too_large', detail: `The session of an ephemeral key may have up to ${MAX_SESSION_BYTES} bytes. Send the rest by session.update.` }]);
    const settings = updateSettings(defaultSettings(), session, dialect);
    await this.sessions.check(settings);
    const { token, secret } = await this.tokens.issue(caller, { scopes: ['transcriptions:write'], expiresInSeconds: seconds, use: 'realtime' });
    const expiresAt = Math.floor(Date.parse(token.expiresAt) / 1000);
    return { value: ephemeralKey(secret, session), expires_at: expiresAt, session: sessionJson(token.id.replace(/^tok_/, 'sess_'), settings, dialect) };
  }
}
