import { Inject, Injectable } from '@nestjs/common';
import { HoldCheck } from '../../holds/hold-check.js';
import { LiveEvents } from './live-events.js';
import { LiveSessions } from './live-sessions.js';

/** Milliseconds until a session under a legal hold is looked at again. */
const HELD_AGAIN_MS = 60 * 60_000;

/** Removes sessions with their messages: those of deleted jobs, and those that ended some days ago, unless a legal hold keeps these. */
@Injectable()
export class LiveRecords {
  constructor(
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(LiveEvents) private readonly events: LiveEvents,
    @Inject(HoldCheck) private readonly holds: Pick<HoldCheck, 'isHeld'>,
  ) {}

  async countOf(jobId: string): Promise<number> {
    return (await this.events.count(jobId)) + (await this.sessions.count(jobId));
  }

  /** The session first: its connection can store nothing more then. */
  async eraseJob(jobId: string): Promise<void> {
    await this.sessions.remove(jobId);
    await this.events.removeAll(jobId);
  }

  async sweep(): Promise<void> {
    for await (const { id, accountId } of this.sessions.outdated()) {
      if (await this.holds.isHeld(accountId, id)) {
        await this.sessions.postponeRemoval(id, HELD_AGAIN_MS);
        continue;
      }
      await this.events.removeAll(id);
      await this.sessions.remove(id);
    }
  }
}
