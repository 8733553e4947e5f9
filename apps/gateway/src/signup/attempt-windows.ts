import { createHash } from 'node:crypto';
import { AppError, type Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { sweepExpired } from '../expired-documents.js';

/** How often something rare was done by, or to, one subject. */
interface AttemptWindow extends Document {
  /** By the minute, counted from 1970; at most an hour of them, however many attempts. */
  minutes: Record<string, number>;
  expiresAt: string;
}

const MINUTE_MS = 60_000;
/** An attempt counts for an hour, and until its minute is over. */
const WINDOW_MINUTES = 60;
const SWEEP_BATCH = 100;

/** Counts what may be done so many times an hour, over all replicas and never once more. Each is a write: for what is rare. */
export class AttemptWindows {
  private readonly collection: DocumentCollection<AttemptWindow>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection<AttemptWindow>({ name: 'signup_attempts', indexes: [{ fields: [], orderBy: 'expiresAt' }] });
  }

  /** @param subject kept as a digest alone @throws AppError rate_limited */
  async take(subject: string, perHour: number): Promise<void> {
    const now = this.clock.now();
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    const id = createHash('sha256').update(subject).digest('hex');
    let freeMinute: number | undefined;
    await this.collection.update(id, (current) => {
      const counted = Object.entries(current?.minutes ?? {}).filter(([counted]) => Number(counted) >= minute - WINDOW_MINUTES);
      freeMinute = whenFree(counted, perHour);
      if (freeMinute !== undefined) return undefined;
      const minutes = Object.fromEntries(counted);
      const expiresAt = new Date((minute + WINDOW_MINUTES + 1) * MINUTE_MS).toISOString();
      return { document: { id, createdAt: current?.createdAt ?? now.toISOString(), minutes: { ...minutes, [minute]: (minutes[minute] ?? 0) + 1 }, expiresAt } };
    });
    if (freeMinute !== undefined) throw tooMany(Math.ceil((freeMinute * MINUTE_MS - now.getTime()) / 1000));
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

const tooMany = (retryAfter: number) => new AppError({ kind: 'rate_limited', code: 'rate_limited', message: 'Too many sign-ups were asked for.', retryAfter });
