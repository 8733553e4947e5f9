import type { AppError, Logger } from '@parlance/platform';

/** Milliseconds between two looks: with the time that a look takes, less than the five seconds that are promised. */
const EVERY_MS = 2500;
/** Keys that are looked up at the same time: one after the other, thousands would take longer than that. */
const TOGETHER = 64;

/** Ends open streams and uploads when the key, token or link that they were requested with is no longer accepted. */
export class KeyEndings {
  /** The callbacks at the end of a key, by key id. */
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
    if (failure !== undefined) this.log.warn({ err: failure }, 'could not check the keys of open streams');
    this.looking = false;
  }

  private async lookAt(keyId: string): Promise<void> {
    const why = await this.refusalOf(keyId);
    if (!why) return;
    for (const end of this.open.get(keyId) ?? []) end(why);
  }
}
