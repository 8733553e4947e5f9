import type { Stored } from '@parlance/storage';
import type { WebhookDelivery } from './delivery.js';

type Write = () => Promise<Stored<WebhookDelivery> | undefined>;

/**
 * A delivery that is tried before it is stored, if that goes fast: one write then does for it and for what came of its try.
 * Until then the event it follows from is not done with, and brings it again after a crash.
 */
export class OfferedDelivery implements Stored<WebhookDelivery> {
  /** Of one that is not stored. */
  readonly version = 0;
  private storing: ReturnType<Write> | undefined;
  private decide!: () => void;
  private readonly decided = new Promise<void>((resolve) => (this.decide = resolve));

  /** Called when nobody waits for its try any longer. */
  onLate: () => void = () => undefined;

  constructor(readonly document: WebhookDelivery) {}

  /** Whether it is stored, or about to be. */
  get isStored(): boolean {
    return this.storing !== undefined;
  }

  /** Writes it, unless that was done already: who comes first says what is written, and the other gets that. */
  store(write: Write): ReturnType<Write> {
    this.storing ??= write().finally(() => this.decide());
    return this.storing;
  }

  /** Nobody tries it now. */
  decline(): void {
    this.decide();
  }

  /** Resolves when it is stored with what came of its try, when that is declined, or after `ms`. */
  async decidedWithin(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.onLate();
        resolve();
      }, ms);
    });
    await Promise.race([this.decided, late]);
    clearTimeout(timer);
  }
}
