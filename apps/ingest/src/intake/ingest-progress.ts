/** A tenth of ingest is one percent of the job: finer steps would only cost writes. */
const STEP = 0.1;

/** Passes on how far fetching and decoding are, in steps, one write after the other. */
export class IngestProgress {
  private reported = 0;
  private writing: Promise<unknown> = Promise.resolve();

  /** @param report a failure of it is of no consequence: the next step says more. */
  constructor(private readonly report: (part: number) => Promise<unknown>) {}

  /** A listener for one step of the work, which makes up this part of the whole. */
  between(from: number, to: number): (part: number) => void {
    return (part) => {
      const whole = from + (to - from) * part;
      if (whole < this.reported + STEP) return;
      this.reported = whole;
      this.writing = this.writing.then(() => this.report(whole)).catch(() => undefined);
    };
  }

  /** Resolves once nothing is being written. */
  async settled(): Promise<void> {
    await this.writing;
  }
}
