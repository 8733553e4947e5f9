/** A tenth of ingest is one percent of the job: finer steps would only cost writes. */
const STEP = 0.1;
/** Decoded between two reports: what a job that is canceled is billed lags behind by no more. */
const STEP_SECONDS = 120;

/** Passes on how far fetching and decoding are, in steps, one write after the other. */
export class IngestProgress {
  private reported = 0;
  private decodedSeconds = 0;
  private known = { whole: 0, decodedSeconds: 0 };
  private writing: Promise<unknown> = Promise.resolve();

  /** @param report a failure of it is of no consequence: the next step says more. */
  constructor(private readonly report: (part: number, decodedSeconds: number) => Promise<unknown>) {}

  /** A listener for one step of the work, which makes up this part of the whole. */
  between(from: number, to: number): (part: number, decodedSeconds?: number) => void {
    return (part, decodedSeconds = 0) => {
      const whole = from + (to - from) * part;
      this.known = { whole, decodedSeconds };
      if (whole < this.reported + STEP && decodedSeconds < this.decodedSeconds + STEP_SECONDS) return;
      this.write();
    };
  }

  /** Reports what was decoded since the last step: a job that fails now may be billed for it. */
  flush(): void {
    if (this.known.decodedSeconds > this.decodedSeconds) this.write();
  }

  private write(): void {
    const { whole, decodedSeconds } = this.known;
    this.reported = Math.max(this.reported, whole);
    this.decodedSeconds = decodedSeconds;
    this.writing = this.writing.then(() => this.report(whole, decodedSeconds)).catch(() => undefined);
  }

  /** Resolves once nothing is being written. */
  async settled(): Promise<void> {
    await this.writing;
  }
}
