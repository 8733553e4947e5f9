/** Seconds of an utterance before its first partial. */
const FIRST_AFTER_SECONDS = 0.4;
/** Seconds of audio after a partial without words. */
const RETRY_SECONDS = 0.3;
/** Seconds of audio between the starts of two partials. */
const EVERY_SECONDS = 1;
/** An engine that needs this long for a partial, again and again, cannot keep up. Seconds. */
const SLOW_SECONDS = 4;
const SLOW_TIMES = 3;

/** Decides when an utterance is recognized once more before it has ended, so that a slow engine falls back to finals alone. */
export class PartialPace {
  private next = FIRST_AFTER_SECONDS;
  private slowTimes = 0;

  /** True once the engine was too slow for partials. */
  get isTooSlow(): boolean {
    return this.slowTimes >= SLOW_TIMES;
  }

  beginUtterance(): void {
    this.next = FIRST_AFTER_SECONDS;
  }

  /** @param spoken seconds of the utterance so far */
  isDue(spoken: number): boolean {
    return !this.isTooSlow && spoken >= this.next;
  }

  /** @param spoken seconds of the utterance that the partial was made of. @param took seconds that the engine needed. @param hasWords false: there was nothing to show */
  record(spoken: number, took: number, hasWords: boolean): void {
    this.slowTimes = took >= SLOW_SECONDS ? this.slowTimes + 1 : 0;
    this.next = spoken + (hasWords ? Math.max(EVERY_SECONDS, 2 * took) : Math.max(RETRY_SECONDS, took));
  }
}
