import { Inject, Injectable } from '@nestjs/common';
import { LiveEvents } from './live-events.js';
import { LiveSessions } from './live-sessions.js';

/** Removes sessions with their messages: those of deleted jobs, and those that ended some days ago. */
@Injectable()
export class LiveRecords {
  constructor(
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(LiveEvents) private readonly events: LiveEvents,
  ) {}

  async countOf(jobId: string): Promise<number> {
    return (await this.events.count(jobId)) + ((await this.sessions.find(jobId)) ? 1 : 0);
  }

  /** The session first: its connection can store nothing more then. */
  async eraseJob(jobId: string): Promise<void> {
    await this.sessions.remove(jobId);
    await this.events.removeAll(jobId);
  }

  async sweep(): Promise<void> {
    for await (const { id } of this.sessions.outdated()) {
      await this.events.removeAll(id);
      await this.sessions.remove(id);
    }
  }
}
