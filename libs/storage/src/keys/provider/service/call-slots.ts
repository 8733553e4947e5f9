/** Lets a number of calls run at a time. The others wait in their order. */
export class CallSlots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<R>(call: () => Promise<R>): Promise<R> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await call();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
