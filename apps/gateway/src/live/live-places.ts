import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { GatewayConfig } from '../gateway.config.js';
import { AccountPlans } from '../plans/index.js';
import { liveLimits } from './live-config.js';
import type { LiveSession } from './session/live-session.js';
import { LiveSessions, type NewLiveSession } from './session/live-sessions.js';

/** A new session, without its limits. */
export type OpenedSession = Omit<NewLiveSession, 'limits'>;

const RETRY_AFTER_SECONDS = 30;

/** Opens sessions within the number that an account may have at once. */
@Injectable()
export class LivePlaces {
  constructor(
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(AccountPlans) private readonly plans: Pick<AccountPlans, 'of'>,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Counts after the session is stored, so that requests at the same time never open too many.
   * @param isRepeated the session may have its job already, which must not lose it: it is not counted again
   * @throws AppError too_many_live_sessions
   */
  async open(session: OpenedSession, { isRepeated }: { isRepeated: boolean }): Promise<LiveSession> {
    const { LIVE_SESSIONS_PER_ACCOUNT, MEDIA_MAX_BYTES } = this.config;
    const { liveSessions: limit = LIVE_SESSIONS_PER_ACCOUNT, mediaBytes: maxBytes = MEDIA_MAX_BYTES } = (await this.plans.of(session.accountId)).limits;
    const opened = await this.sessions.create({ ...session, limits: { ...liveLimits(this.config), maxBytes } });
    if (isRepeated || limit === 0 || (await this.sessions.countOpen(session.accountId)) <= limit) return opened;
    await this.close(session.id);
    throw new AppError({ code: 'too_many_live_sessions', message: `The account has ${limit} open live sessions, which is its limit.`, retryAfter: RETRY_AFTER_SECONDS });
  }

  /** Its job was not made. */
  async close(id: string): Promise<void> {
    await this.sessions.remove(id);
  }
}
