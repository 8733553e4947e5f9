import type { AppError, Logger } from '@parlance/platform';

/** Milliseconds between two looks: with the time that a look takes, less than the five seconds that are promised. */
const EVERY_MS = 2500;
/** Keys that are looked up at the same time: one after the other, thousands would take longer than that. */
const TOGETHER = 64;

/** Ends what stays open, such as event streams and uploads, when the key that it was asked for with is let in no more. */
export class KeyEndings {
  /** What to call at its end, by key id. */
  private readonly open = new Map<string, Set<(why: AppError) => void>>();
  private timer: NodeJS.Timeout | undefined;
  private looking = false;

  /** @param refusalOf why the key would not be let in now, whatever another process did to it; undefined while it would */
  constructor(
    private readonly refusalOf: (keyId: string) => Promise<AppError | undefined>,
    private readonly log: Logger,
    private readonly everyMs = EVERY_MS,
  ) {}

  /** @returns to be called when the answer has ended by itself */
  watch(keyId: string, end: (why: AppError) => void): () => void {
    const ends = this.open.get(keyId) ?? new Set();
    this.open.set(keyId, ends.add(end));
    this.timer ??= setInterval(() => void this.look(), this.everyMs).unref();
    return () => {
      ends.delete(end);
      if (ends.size === 0 && this.open.get(keyId) === ends) this.open.delete(keyId);
      if (this.open.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  /** A store that is away ends nothing: requests that need it fail by themselves. */
  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    const keyIds = [...this.open.keys()];
    let failure: unknown;
    for (let at = 0; at < keyIds.length; at += TOGETHER) {
      await Promise.all(keyIds.slice(at, at + TOGETHER).map((keyId) => this.lookAt(keyId).catch((error: unknown) => (failure = error))));
    }
    if (failure !== undefined) this.log.warn({ err: failure }, 'the keys of open answers could not be looked up');
    this.looking = false;
  }

  private async lookAt(keyId: string): Promise<void> {
    const why = await this.refusalOf(keyId);
    if (!why) return;
    for (const end of this.open.get(keyId) ?? []) end(why);
  }
}
