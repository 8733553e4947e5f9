import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GroupCommit } from '@parlance/platform/sqlite';
import { LATE_MS } from '../erasable.js';
import type { Erasure, EventLog } from './event-log.js';

/** Events in one transaction. */
const ROWS = 500;
/** Erasures looked at in one turn of the event loop. */
const PAGE = 100;

/** Takes events of erased keys out of the log: events that every group has finished at once, the others as soon as they have. */
export class LogErasures {
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly commits: GroupCommit,
  ) {}

  /** @param now milliseconds since the epoch */
  async erase(erasure: Erasure, now: number): Promise<void> {
    await this.commits.run(ROWS, () => {
      this.log.requestErasure(erasure, now);
      this.log.eraseLetters(erasure);
    });
    await this.removePassed([erasure]);
    this.commits.leaveNoTrace();
  }

  /**
   * Writes only where there is something to remove. A look at the unfinished ones is left out while another is under way.
   * @param which those with events that somebody has yet to handle, or all that may have late ones
   */
  async sweep(which: 'unfinished' | 'all', now: number): Promise<void> {
    if (which === 'unfinished' && this.sweeping) return;
    const before = this.sweeping ?? Promise.resolve();
    const sweep = before.catch(() => {}).then(() => this.sweepOnce(which, now));
    this.sweeping = sweep;
    try {
      await sweep;
    } finally {
      if (this.sweeping === sweep) this.sweeping = undefined;
    }
  }

  private async sweepOnce(which: 'unfinished' | 'all', now: number): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = this.log.erasures(which, after, PAGE);
      await this.removePassed(page.filter((erasure) => this.log.isDue(erasure)));
      after = page.at(-1)?.key;
      await nextTurn();
    }
    if (which === 'all') await this.commits.run(1, () => this.log.forgetErasures(now - LATE_MS));
  }

  private async removePassed(erasures: readonly Erasure[]): Promise<void> {
    for (let left = erasures; left.length > 0; ) left = await this.commits.run(ROWS, () => this.removeSome(left));
  }

  /** @returns those that may have more */
  private removeSome(erasures: readonly Erasure[]): Erasure[] {
    let rows = ROWS;
    return erasures.filter((erasure) => {
      if (rows > 0) rows -= this.log.eraseEvents(erasure, rows);
      return rows === 0;
    });
  }
}
