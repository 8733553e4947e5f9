import type { DecoderProcess } from './decoder-process.js';

/** Milliseconds for which a process is kept ready that no call takes. */
const KEPT_MS = 60_000;

/** Keeps one process ready for the next call. */
export class SpareDecoder {
  private spare: Promise<DecoderProcess> | undefined;
  /** Set while a process is kept ready. */
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly start: () => Promise<DecoderProcess>) {}

  /** Keeps a process ready for a minute from now. */
  prepare(): void {
    this.begin();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.close(), KEPT_MS).unref();
  }

  /** Begins another process in its place, which loads its models during the call. @returns the process, which is the caller's to end; undefined when there is none */
  async take(): Promise<DecoderProcess | undefined> {
    const { spare } = this;
    this.spare = undefined;
    if (this.timer) this.begin();
    return spare?.catch(() => undefined);
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await (await this.take())?.end();
  }

  private begin(): void {
    this.spare ??= this.start();
    // The call that finds none meets the same fault, and reports it.
    this.spare.catch(() => {});
  }
}
