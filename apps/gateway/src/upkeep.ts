import type { JobService } from '@parlance/contracts';
import { Periodic, toAppError, type Logger } from '@parlance/platform';
import type { Idempotency } from './idempotency/idempotency.js';
import type { KeyUses } from './keys/key-uses.js';
import type { UploadOwner } from './uploads/upload-leases.js';
import type { UploadStore } from './uploads/upload-store.js';

const EVERY_MS = 60_000;

/** Clears what time has overtaken: answers kept for an Idempotency-Key, uploads of killed processes. Stores when keys were used. */
export class Upkeep {
  private readonly rounds = new Periodic(EVERY_MS, (signal) => this.run(signal), (error) => this.log.error({ err: error }, 'maintenance failed'));

  constructor(
    private readonly idempotency: Idempotency,
    private readonly uploads: UploadStore,
    private readonly keyUses: KeyUses,
    private readonly others: readonly { sweep(): Promise<void> }[],
    private readonly jobs: JobService,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.rounds.start();
  }

  /** Ends the round that runs before its next step. */
  async close(): Promise<void> {
    await this.rounds.close();
    await this.attempt(() => this.keyUses.store());
  }

  private async run(signal: AbortSignal): Promise<void> {
    const steps = [
      () => this.keyUses.store(),
      () => this.idempotency.sweep(),
      () => this.uploads.sweep((owner) => this.jobExists(owner)),
      ...this.others.map((other) => () => other.sweep()),
    ];
    for (const step of steps) {
      if (signal.aborted) return;
      await this.attempt(step);
    }
  }

  /** A step that fails does not prevent the others. */
  private async attempt(step: () => Promise<unknown>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.log.warn({ err: error }, 'maintenance failed; the next round tries again');
    }
  }

  private async jobExists({ accountId, jobId }: UploadOwner): Promise<boolean> {
    try {
      await this.jobs.getJob({ accountId, jobId });
      return true;
    } catch (error) {
      if (toAppError(error).kind === 'not_found') return false;
      throw error;
    }
  }
}
