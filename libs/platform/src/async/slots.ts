/** Lets a number of calls run at a time. The others wait in their order. */
export class Slots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Runs the work in a slot, in the order of the calls. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.release(work);
  }

  /** Runs the work if a slot is free now. @returns undefined when none is */
  tryRun<Result>(work: () => Promise<Result>): Promise<Result> | undefined {
    if (this.free === 0) return undefined;
    this.free -= 1;
    return this.release(work);
  }

  private async release<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
