import type { Logger } from '../logging/logger.js';

/** Closes everything that was started in reverse order; a close that fails does not prevent the others. */
export class Lifecycle {
  private readonly closers: { name: string; close: () => Promise<void> }[] = [];
  private closing: Promise<void> | undefined;
  private failed = false;

  constructor(private readonly log: Logger) {}

  /** True when anything failed to close so far. */
  get hasFailed(): boolean {
    return this.failed;
  }

  onClose(name: string, close: () => Promise<void>): void {
    this.closers.push({ name, close });
  }

  /** Idempotent: a second call waits for the first. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    for (const { name, close } of this.closers.toReversed()) {
      try {
        await close();
      } catch (error) {
        this.failed = true;
        this.log.error({ err: error, closing: name }, 'closing failed');
      }
    }
  }
}
