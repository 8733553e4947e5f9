import { setImmediate } from 'node:timers/promises';

/** The longest time in milliseconds that a computation keeps other work waiting. */
const TURN_MS = 10;

/** Gives other work its turn of the event loop while one request computes for long. */
export class Pace {
  private since = performance.now();

  /** Waits for the next turn when this one has lasted long. */
  async pause(): Promise<void> {
    if (performance.now() - this.since < TURN_MS) return;
    await setImmediate();
    this.since = performance.now();
  }
}
