import type { Logger } from '../logging/logger.js';

/** What was started is closed in reverse order; one failing close does not keep the others from closing. */
export class Lifecycle {
  private readonly closers: { name: string; close: () => Promise<void> }[] = [];
  private closing: Promise<void> | undefined;

  constructor(private readonly log: Logger) {}

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
        this.log.error({ err: error, closing: name }, 'closing failed');
      }
    }
  }
}
