import { Inject, Injectable } from '@nestjs/common';
import type { NewEvent, webhook } from '@parlance/contracts';
import { AppError, currentTraceparent, inTrace, toAppError, TurnBatch, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { FEED, type AccountEvent, type FeedEntry, type NewEntry } from './account-event.js';

interface Addition {
  entry: NewEntry;
  outgoing: NewEvent[];
}

/** The events by id, each as it was stored the first time; undefined when it was erased since. */
type Written = Map<string, AccountEvent | undefined>;

type EventFilter = Partial<Pick<webhook.ListEventsRequest, 'type' | 'jobId' | 'descending'>>;

/** Everything that was announced to an account, in one order, so that a receiver that was down can read what it missed. */
@Injectable()
export class AccountEvents {
  private readonly collection: DocumentCollection<FeedEntry>;
  private readonly batches = new TurnBatch<Addition, Written>((accountId, additions) => this.write(accountId, additions));

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.collection = documents.collection(FEED);
  }

  /**
   * Stores the event at the account's next place, once, and publishes `outgoing` with it.
   * @returns the event as it was stored the first time; undefined when it was erased since.
   */
  async append(entry: NewEntry, outgoing: NewEvent[] = []): Promise<AccountEvent | undefined> {
    const { id, accountId } = entry;
    const traceparent = currentTraceparent();
    const addition = { entry, outgoing: outgoing.map((each) => ({ ...each, ...(traceparent !== undefined && { traceparent }) })) };
    return inTrace(undefined, async () => {
      const written = await this.batches.add(accountId, addition).catch((error: unknown) => {
        // The fault may be that of another event of the batch.
        if (toAppError(error).retryable) throw error;
        return this.write(accountId, [addition]);
      });
      return written.get(id);
    });
  }

  private async write(accountId: string, additions: readonly Addition[]): Promise<Written> {
    const written: Written = new Map();
    let rest = additions;
    while (rest.length > 0) {
      const last = await this.lastPosition(accountId);
      const createdAt = this.clock.now().toISOString();
      const inserts = rest.map(({ entry, outgoing }, nth) => ({ document: { ...entry, createdAt, position: last + 1 + nth }, events: outgoing }));
      const stored = await this.collection.insertInOrder(inserts);
      for (const { entry } of rest.slice(0, stored)) written.set(entry.id, entry.event);
      // The next one was stored before, or another replica has taken its place.
      const next = rest[stored]?.entry.id;
      const first = next === undefined ? undefined : await this.collection.get(next);
      if (first) written.set(first.document.id, first.document.event);
      rest = rest.slice(first ? stored + 1 : stored);
    }
    return written;
  }

  /** Lists the events after the cursor or event id, oldest first; or those before it, newest first. @throws AppError invalid_cursor */
  async list(accountId: string, after: string | undefined, limit: number, { type, jobId, descending = false }: EventFilter = {}): Promise<webhook.ListEventsResponse> {
    const from = after === undefined ? 0 : await this.position(accountId, after);
    const { items, nextCursor } = await this.collection.find({
      where: { accountId, jobId, 'event.type': type },
      range: { field: 'position', ...(descending ? after !== undefined && { lt: from } : { gte: from + 1 }) },
      orderBy: 'position',
      direction: descending ? 'descending' : 'ascending',
      limit,
    });
    // A cursor of elsewhere, or of before a backup was restored, would pass over all that comes until then.
    if (items.length === 0 && from > 0 && from > (await this.lastPosition(accountId))) throw invalidCursor();
    const events = items.flatMap(({ document: { id, event } }) => (event ? [{ eventId: id, body: event.body }] : []));
    return { events, nextCursor: cursorOf(items.at(-1)?.document.position ?? from), hasMore: nextCursor !== null };
  }

  /** One destination has had the end of its job. `outgoing` is published with the last one, at least once. */
  async close(id: string, destination: number, outgoing: NewEvent): Promise<void> {
    await this.collection.update(id, (current) => {
      if (!current?.event) return undefined;
      const { open = [destination] } = current.event;
      if (!open.includes(destination)) return undefined;
      const left = open.filter((each) => each !== destination);
      return { document: { ...current, event: { ...current.event, open: left } }, events: left.length === 0 ? [outgoing] : [] };
    });
  }

  count(jobId: string): Promise<number> {
    return this.collection.count({ jobId });
  }

  /** Leaves their places, and nothing that was in them. */
  async erase(jobId: string): Promise<void> {
    for await (const { document } of this.collection.all({ where: { jobId } })) await this.empty(document.id);
  }

  /**
   * Removes what was stored before, until the signal aborts.
   * @param beforehand called for each event of no job: once it is removed, nothing leads to its deliveries.
   */
  async removeBefore(time: Date, beforehand: (eventId: string, event: AccountEvent) => Promise<void>, signal?: AbortSignal): Promise<void> {
    const range = { field: 'createdAt', lt: time.toISOString() };
    for await (const { document } of this.collection.all({ range, direction: 'ascending' })) {
      signal?.throwIfAborted();
      const { id, accountId, position, jobId, event } = document;
      if (jobId === undefined && event) await beforehand(id, event);
      // The account's last place stays, since the next one is counted from it.
      if (position !== (await this.lastPosition(accountId))) await this.collection.remove(id);
      else if (event) await this.empty(id);
    }
  }

  private async empty(id: string): Promise<void> {
    await this.collection.update(id, (current) => {
      if (!current) return undefined;
      const { createdAt, accountId, position } = current;
      return { document: { id, createdAt, accountId, position } };
    });
  }

  private async lastPosition(accountId: string): Promise<number> {
    const { items } = await this.collection.find({ where: { accountId }, orderBy: 'position', limit: 1 });
    return items[0]?.document.position ?? 0;
  }

  private async position(accountId: string, after: string): Promise<number> {
    if (!after.startsWith('evt_')) return positionOf(after);
    const entry = await this.collection.get(after);
    if (entry?.document.accountId !== accountId) throw invalidCursor('The event does not exist, or is no longer kept.');
    return entry.document.position;
  }
}

/** Opaque for callers: a place in the account's order. */
const cursorOf = (position: number): string => Buffer.from(`events:${position}`).toString('base64url');

/** @throws AppError invalid_cursor */
function positionOf(cursor: string): number {
  const [, digits] = /^events:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (digits === undefined || cursorOf(Number(digits)) !== cursor) throw invalidCursor();
  return Number(digits);
}

const invalidCursor = (message = 'The cursor was not returned by this list.') => new AppError({ kind: 'invalid', code: 'invalid_cursor', message });
