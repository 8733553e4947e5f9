import type { JobService } from '@parlance/contracts';
import { toAppError, type Logger } from '@parlance/platform';
import type { Idempotency } from './idempotency/idempotency.js';
import type { KeyUses } from './keys/key-uses.js';
import type { UploadOwner } from './uploads/upload-leases.js';
import type { UploadStore } from './uploads/upload-store.js';

const EVERY_MS = 60_000;

/** Clears what time has overtaken: answers kept for an Idempotency-Key, uploads of killed processes. Stores when keys were used. */
export class Upkeep {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly idempotency: Idempotency,
    private readonly uploads: UploadStore,
    private readonly keyUses: KeyUses,
    private readonly others: readonly { sweep(): Promise<void> }[],
    private readonly jobs: JobService,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => (this.running = this.running.then(() => this.run())), EVERY_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
    await this.attempt(() => this.keyUses.store());
  }

  async run(): Promise<void> {
    await this.attempt(() => this.keyUses.store());
    await this.attempt(() => this.idempotency.sweep());
    await this.attempt(() => this.uploads.sweep((owner) => this.jobExists(owner)));
    for (const other of this.others) await this.attempt(() => other.sweep());
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
