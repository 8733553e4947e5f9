import type { SessionIntake } from '../audio/session-intake.js';

/** Milliseconds after the last commit, after which a quiet connection checks whether it still has the session. */
const CHECK_MS = 5000;

/** Notices that another connection has the session, or that it has ended, while nothing is stored. */
export class OwnershipCheck {
  private isRunning = false;
  private isStopped = false;

  constructor(
    private readonly intake: Pick<SessionIntake, 'renew' | 'committedAgoMs'>,
    private readonly onLost: (error: unknown) => Promise<void>,
  ) {}

  /** Commits when that is due, one commit at a time: a store that stalls does not collect them. */
  async run(): Promise<void> {
    if (this.isRunning || this.isStopped || this.intake.committedAgoMs <= CHECK_MS) return;
    this.isRunning = true;
    await this.intake.renew().catch(this.onLost);
    this.isRunning = false;
  }

  /** No commit is begun any more: the session is about to end. */
  stop(): void {
    this.isStopped = true;
  }
}
