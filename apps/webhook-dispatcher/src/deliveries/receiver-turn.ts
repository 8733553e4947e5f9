import type { Clock } from '@parlance/platform';
import { afterTryOf, isOpen, type Circuit, type TryEnd } from './circuit.js';

/** A turn begins no try later than that. */
const TURN_MS = 3_000;

/** One turn of a receiver: its tries, and the circuit after them. */
export class ReceiverTurn {
  private readonly endsAt: number;
  tries = 0;

  /**
   * @param isRequested the account's owner waits for a delivery: one try is made even while the circuit is open
   * @param stops abort when the process stops, or another worker has the lease
   */
  constructor(
    public circuit: Circuit | undefined,
    private readonly isRequested: boolean,
    private readonly clock: Clock,
    private readonly stops: readonly AbortSignal[],
  ) {
    this.endsAt = this.now + TURN_MS;
  }

  get isClosed(): boolean {
    return !isOpen(this.circuit);
  }

  /** RFC 3339; empty while the circuit is closed. */
  get openUntil(): string {
    return isOpen(this.circuit) ? this.circuit.openUntil : '';
  }

  /** A circuit that was open for its time lets one try through. */
  get mayBegin(): boolean {
    if (this.stops.some(({ aborted }) => aborted) || this.now >= this.endsAt) return false;
    return this.isClosed || (this.tries === 0 && (this.isRequested || Date.parse(this.openUntil) <= this.now));
  }

  ended(end: TryEnd): void {
    this.tries += 1;
    this.circuit = afterTryOf(this.circuit, end);
  }

  private get now(): number {
    return this.clock.now().getTime();
  }
}
