/** Milliseconds for which one turn of the event loop begins further work. */
const TURN_MS = 10;
/** The requests that are parsed in a turn before further bytes wait. Parsing a small one takes about 5 µs. */
const MAX_PARSED = 500;

/** The work of the present turn of the event loop, and what waits for a later one. */
export class Turns {
  private since: number | undefined;
  private parsed = 0;
  private readonly waiting: (() => void)[] = [];

  countParsed(): void {
    this.open();
    this.parsed += 1;
  }

  get isFull(): boolean {
    return this.parsed >= MAX_PARSED;
  }

  /** Does the work now, or behind what waits. */
  run(work: () => void): void {
    if (this.waiting.length === 0 && this.hasTime) work();
    else this.later(work);
  }

  later(work: () => void): void {
    this.open();
    this.waiting.push(work);
  }

  private get hasTime(): boolean {
    return performance.now() - this.open() < TURN_MS;
  }

  /** @returns when the turn began */
  private open(): number {
    if (this.since === undefined) {
      this.since = performance.now();
      setImmediate(() => this.next());
    }
    return this.since;
  }

  private next(): void {
    this.since = undefined;
    this.parsed = 0;
    while (this.waiting.length > 0 && this.hasTime) this.waiting.shift()?.();
  }
}
