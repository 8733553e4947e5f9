import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { common, type JobService } from '@parlance/contracts';
import { AppError, Periodic, toAppError, withTimeout, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, JOB_SERVICE, LOGGER } from '@parlance/runtime';
import { LiveMetrics } from '../live-metrics.js';
import { LiveFeed } from '../session/live-feed.js';
import type { LiveSession } from '../session/live-session.js';
import { isOthers, liveEnded, LiveSessions } from '../session/live-sessions.js';
import { SESSION_ENDING, type SessionEnding } from './session-ending.js';

const EVERY_MS = 5_000;
/** Sessions that one process ends at a time. */
const MAX_AT_ONCE = 8;
const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 60 * 60 * 1000;
/** Milliseconds for which the end of a session is tried. */
const TRIED_MS = 24 * 60 * 60 * 1000;
/** Milliseconds for the ends that run to notice the shutdown. */
const STOP_MS = 5_000;

/** Ends sessions whose clients did not come back, on whichever replica looks first, and those that are ended by request. */
@Injectable()
export class LiveEndings implements OnModuleDestroy {
  private readonly rounds = new Periodic(EVERY_MS, (signal) => this.round(signal), (error) => this.log.warn({ err: error }, 'looking for live sessions to end failed'));
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(SESSION_ENDING) private readonly ending: SessionEnding,
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'cancelJob' | 'getJob'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Pick<Logger, 'warn' | 'error'>,
    @Inject(LiveMetrics) private readonly metrics: Pick<LiveMetrics, 'sessionEnded'>,
    @Inject(LiveFeed) private readonly feed: Pick<LiveFeed, 'follow' | 'publish'>,
  ) {}

  start(): void {
    this.rounds.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.rounds.close();
    // Another process continues the ends that this one aborts.
    this.stopping.abort(SHUTDOWN);
    await withTimeout(STOP_MS, this.settled(), () => {});
  }

  /** Resolves when the sessions that are being ended have ended, or their end has failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.running.values());
  }

  /** Takes the session from whatever connection has it, and begins to end it. */
  async begin(id: string, reason: 'request' | 'window'): Promise<void> {
    const session = await this.sessions.takeOverEnd(id);
    this.feed.publish(id, { type: 'ending' });
    if (session) this.run(session, reason);
  }

  /** Looks once for sessions to end, and begins to. */
  async round(signal: AbortSignal): Promise<void> {
    for await (const session of this.sessions.due()) {
      if (signal.aborted || this.running.size >= MAX_AT_ONCE) return;
      if (!this.running.has(session.id)) await this.endOrGiveUp(session);
    }
  }

  private async endOrGiveUp({ id, accountId, ending }: LiveSession): Promise<void> {
    if (ending && this.clock.now().getTime() - Date.parse(ending.since) > TRIED_MS) return this.giveUp(accountId, id);
    await this.begin(id, 'window');
  }

  private run(session: LiveSession, reason: string): void {
    const { id, limits } = session;
    const lost = new AbortController();
    // Recognizing what is left may take longer than the window after which another process would take over.
    const renewal = setInterval(() => void this.renew(session, lost), limits.resumeMs / 3);
    const unfollow = this.feed.follow(id, ({ type }) => type === 'canceled' && lost.abort(liveEnded()));
    const work = this.finish(session, reason, lost.signal).finally(() => {
      clearInterval(renewal);
      unfollow();
      if (this.running.get(id) === work) this.running.delete(id);
    });
    this.running.set(id, work);
  }

  private async renew({ id, generation }: LiveSession, lost: AbortController): Promise<void> {
    try {
      await this.sessions.commit(id, generation, {});
    } catch (error) {
      if (isOthers(error) || toAppError(error).kind === 'not_found') lost.abort(error);
    }
  }

  private async finish({ accountId, id, generation }: LiveSession, reason: string, lost: AbortSignal): Promise<void> {
    const stopping = this.stopping.signal;
    try {
      await this.ending.finish(id, generation, AbortSignal.any([lost, stopping]));
      this.metrics.sessionEnded(reason);
    } catch (thrown) {
      if (lost.aborted || isOthers(thrown)) return;
      const noted = stopping.aborted ? this.sessions.releaseEnd(id, generation) : this.afterFailure(accountId, id, thrown);
      await noted.catch((error: unknown) => this.log.warn({ err: error, jobId: id }, 'a failed end of a live session was not noted'));
    }
  }

  private async afterFailure(accountId: string, id: string, error: unknown): Promise<void> {
    if (await this.isJobOver(accountId, id)) return void (await this.sessions.cancel(id));
    const failures = (await this.sessions.find(id))?.ending?.failures ?? 0;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
    this.log.warn({ err: error, jobId: id, failures: failures + 1, pauseMs }, 'a live session could not be ended; it is tried again');
    await this.sessions.postponeEnd(id, pauseMs, toAppError(error));
  }

  /** Its job was deleted or canceled, or was never made. */
  private async isJobOver(accountId: string, jobId: string): Promise<boolean> {
    try {
      const { job } = await this.jobs.getJob({ accountId, jobId });
      return job !== undefined && ENDED.has(job.status);
    } catch (error) {
      return toAppError(error).kind === 'not_found';
    }
  }

  private async giveUp(accountId: string, id: string): Promise<void> {
    this.log.error({ jobId: id }, 'a live session could not be ended for a day; its job is canceled');
    await this.jobs.cancelJob({ accountId, jobId: id }).catch((error: unknown) => {
      if (!['not_found', 'conflict'].includes(toAppError(error).kind)) throw error;
    });
    await this.sessions.cancel(id);
    this.metrics.sessionEnded('failed');
  }
}

const SHUTDOWN = new AppError({ code: 'service_unavailable', message: 'The server is shutting down.' });
const { JobStatus } = common;
const ENDED: ReadonlySet<common.JobStatus> = new Set([JobStatus.JOB_STATUS_CANCELED, JobStatus.JOB_STATUS_FAILED]);
