import { EventEmitter, once } from 'node:events';
import { AppError } from '@parlance/platform';

/** Bounds the contents that are in memory at the same time: a receiver that hangs keeps its own for as long. */
export class ContentPlaces {
  private readonly taken = new Map<string, number>();
  private count = 0;
  private readonly places = new EventEmitter().setMaxListeners(0);

  /**
   * @param perAccount places that one account gets at most, so that the others keep theirs
   * @param maxWaitMs for a place
   */
  constructor(
    private readonly total: number,
    private readonly perAccount: number,
    private readonly maxWaitMs: number,
  ) {}

  /** Does the work once there is a place for the account. @throws AppError service_unavailable when there is none for too long; the signal's reason when that aborts before */
  async hold<T>(accountId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let ended: AbortSignal | undefined;
    while (this.isFull(accountId)) await this.nextFree(signal, (ended ??= AbortSignal.any([signal, AbortSignal.timeout(this.maxWaitMs)])));
    signal.throwIfAborted();
    this.add(accountId, 1);
    try {
      return await work();
    } finally {
      this.add(accountId, -1);
      this.places.emit('free');
    }
  }

  private async nextFree(signal: AbortSignal, ended: AbortSignal): Promise<void> {
    try {
      await once(this.places, 'free', { signal: ended });
    } catch (cause) {
      signal.throwIfAborted();
      throw new AppError({ code: 'service_unavailable', message: 'Too many webhooks with contents are being sent.', cause });
    }
  }

  private isFull(accountId: string): boolean {
    return this.count >= this.total || this.of(accountId) >= this.perAccount;
  }

  private add(accountId: string, change: 1 | -1): void {
    this.count += change;
    const taken = this.of(accountId) + change;
    if (taken === 0) this.taken.delete(accountId);
    else this.taken.set(accountId, taken);
  }

  private of(accountId: string): number {
    return this.taken.get(accountId) ?? 0;
  }
}
