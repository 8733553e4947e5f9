import { Inject, Injectable } from '@nestjs/common';
import type { Consumer, Follower } from '@parlance/event-bus';
import { LiveFeed } from './session/live-feed.js';
import { LiveSessions } from './session/live-sessions.js';

/** Cancels the session of a job that was canceled or deleted. */
@Injectable()
export class LiveConsumers {
  constructor(
    @Inject(LiveSessions) private readonly sessions: Pick<LiveSessions, 'cancel'>,
    @Inject(LiveFeed) private readonly feed: Pick<LiveFeed, 'publish'>,
  ) {}

  consumers(): Consumer[] {
    const cancel = async ({ event }: { event: { data: { jobId: string } } }) => void (await this.sessions.cancel(event.data.jobId));
    return [{ group: 'gateway-live', topic: 'parlance.jobs.v1', handlers: { 'job.canceled': cancel, 'job.deleted': cancel } }];
  }

  /** Each process closes the sockets that it has, without waiting for their next commit. */
  followers(): Follower[] {
    const close = (event: { data: { jobId: string } }) => this.feed.publish(event.data.jobId, { type: 'canceled' });
    return [{ topic: 'parlance.jobs.v1', handlers: { 'job.canceled': close, 'job.deleted': close } }];
  }
}
