import { Inject, Injectable } from '@nestjs/common';
import { Quota } from '../../usage/quota.js';
import { LiveSessions } from '../session/live-sessions.js';

/** The free time of accounts, of which live sessions reserve none before they are jobs. */
@Injectable()
export class LiveQuota {
  constructor(
    @Inject(LiveSessions) private readonly sessions: Pick<LiveSessions, 'audioMsOf'>,
    @Inject(Quota) private readonly quota: Pick<Quota, 'require'>,
  ) {}

  /** Counts the audio of all sessions of the account. @throws AppError payment_required/quota_exhausted */
  async require(accountId: string): Promise<void> {
    await this.quota.require(accountId, await this.sessions.audioMsOf(accountId));
  }
}
