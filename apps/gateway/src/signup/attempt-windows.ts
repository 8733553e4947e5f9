import { createHash } from 'node:crypto';
import { AppError, type Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { sweepExpired } from '../expired-documents.js';

/** Counts rare actions of, or on, one subject. */
interface AttemptWindow extends Document {
  /** By the minute, counted from 1970; at most an hour of them, however many attempts. */
  minutes: Record<string, number>;
  expiresAt: string;
}

const MINUTE_MS = 60_000;
/** An attempt counts for an hour, and until its minute is over. */
const WINDOW_MINUTES = 60;
const SWEEP_BATCH = 100;

/** The subject that is counted, and its limit per hour. */
export interface AttemptLimit {
  /** Kept as a digest alone. */
  subject: string;
  perHour: number;
}

/** Counts what may be done so many times an hour, over all replicas and never once more. Each is a write: for what is rare. */
export class AttemptWindows {
  private readonly collection: DocumentCollection<AttemptWindow>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection<AttemptWindow>({
      name: 'signup_attempts',
      data: { what: 'numbers of attempts to sign up, by digests of addresses', purpose: 'to limit attempts', kept: 'an hour' },
      indexes: [{ fields: [], orderBy: 'expiresAt' }],
    });
  }

  /**
   * Takes one attempt of each. The last ones are looked at first, without a write: what the widest limit refuses costs the others
   * nothing and stores nothing, so the widest limit bounds the documents as well.
   * @param limits from the narrowest to the widest
   * @throws AppError rate_limited
   */
  async take(limits: readonly AttemptLimit[]): Promise<void> {
    for (const limit of limits.toReversed()) await this.check(limit);
    for (const limit of limits) await this.takeOne(limit);
  }

  private async check({ subject, perHour }: AttemptLimit): Promise<void> {
    const stored = await this.collection.get(idOf(subject));
    const freeMinute = whenFree(this.countedOf(stored?.document), perHour);
    if (freeMinute !== undefined) throw this.tooMany(freeMinute);
  }

  private async takeOne({ subject, perHour }: AttemptLimit): Promise<void> {
    const now = this.clock.now();
    const minute = minuteOf(now);
    const id = idOf(subject);
    let freeMinute: number | undefined;
    await this.collection.update(id, (current) => {
      const counted = this.countedOf(current);
      freeMinute = whenFree(counted, perHour);
      if (freeMinute !== undefined) return undefined;
      const minutes = Object.fromEntries(counted);
      const expiresAt = new Date((minute + WINDOW_MINUTES + 1) * MINUTE_MS).toISOString();
      return { document: { id, createdAt: current?.createdAt ?? now.toISOString(), minutes: { ...minutes, [minute]: (minutes[minute] ?? 0) + 1 }, expiresAt } };
    });
    if (freeMinute !== undefined) throw this.tooMany(freeMinute);
  }

  private countedOf(window: AttemptWindow | undefined): [string, number][] {
    const oldest = minuteOf(this.clock.now()) - WINDOW_MINUTES;
    return Object.entries(window?.minutes ?? {}).filter(([minute]) => Number(minute) >= oldest);
  }

  private tooMany(freeMinute: number): AppError {
    const retryAfter = Math.ceil((freeMinute * MINUTE_MS - this.clock.now().getTime()) / 1000);
    return new AppError({ kind: 'rate_limited', code: 'rate_limited', message: 'Too many sign-ups were requested.', retryAfter });
  }

  async sweep(): Promise<void> {
    await sweepExpired(this.collection, this.clock, SWEEP_BATCH);
  }
}

/** @returns the minute in which there is room again; undefined where there is. */
function whenFree(counted: readonly (readonly [string, number])[], perHour: number): number | undefined {
  let left = counted.reduce((sum, [, count]) => sum + count, 0);
  if (left < perHour) return undefined;
  for (const [minute, count] of counted.toSorted(([one], [other]) => Number(one) - Number(other))) {
    left -= count;
    if (left < perHour) return Number(minute) + WINDOW_MINUTES + 1;
  }
  return undefined;
}

const minuteOf = (time: Date): number => Math.floor(time.getTime() / MINUTE_MS);
const idOf = (subject: string): string => createHash('sha256').update(subject).digest('hex');
