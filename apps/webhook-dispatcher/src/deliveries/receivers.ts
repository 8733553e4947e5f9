import type { AppError, Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';

/**
 * An account's deliveries to one origin stand in one line, so that a receiver that hangs, and the backlog before it,
 * holds up nobody else. The line is leased as a whole: of all replicas one at a time serves it.
 */
interface Receiver extends Document {
  /** When it is to be looked at next: its earliest pending delivery; while it is leased, the lease's end. */
  dueAt: string;
  leased: boolean;
}

/** A lease; its version is the proof that nothing came in between. */
export type ReceiverLease = Stored<Receiver>;

const TAKE_AT_ONCE = 5;

export function receiverId(accountId: string, url: string): string {
  return `${accountId} ${URL.parse(url)?.origin ?? url}`;
}

export class Receivers {
  private readonly collection: DocumentCollection<Receiver>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection<Receiver>({ name: 'receivers', indexes: [{ fields: [], orderBy: 'dueAt' }] });
  }

  /** Tells that a delivery is stored for the receiver. One that is leased only gets a new version, which its holder notices on release. */
  async expect(id: string): Promise<void> {
    const now = this.clock.now().toISOString();
    await this.collection.update(id, (current) => {
      if (!current) return { document: { id, createdAt: now, dueAt: now, leased: false } };
      if (current.leased && current.dueAt > now) return { document: current };
      return { document: { ...current, leased: false, dueAt: now < current.dueAt ? now : current.dueAt } };
    });
  }

  /** Leases the receiver that is due longest; undefined when none is. A lease that ran out counts as due. */
  async takeDue(leaseMs: number): Promise<ReceiverLease | undefined> {
    for (;;) {
      const now = this.clock.now();
      const { items } = await this.collection.find({
        range: { field: 'dueAt', lt: new Date(now.getTime() + 1).toISOString() },
        orderBy: 'dueAt',
        direction: 'ascending',
        limit: TAKE_AT_ONCE,
      });
      if (items.length === 0) return undefined;
      const dueAt = new Date(now.getTime() + leaseMs).toISOString();
      for (const { document, version } of items) {
        const lease = await unlessOvertaken(() => this.collection.replace({ ...document, leased: true, dueAt }, version));
        if (lease) return lease;
      }
    }
  }

  /**
   * Ends the lease. `nextDueAt` is asked again when a delivery came meanwhile; without one the receiver is forgotten.
   * One with a backlog goes behind those that are due by now, so that each gets its turn.
   */
  async release(id: string, nextDueAt: () => Promise<string | undefined>): Promise<void> {
    for (;;) {
      const current = await this.collection.get(id);
      if (!current) return;
      const next = await nextDueAt();
      const now = this.clock.now().toISOString();
      const done = await unlessOvertaken(async () => {
        if (next === undefined) await this.collection.remove(id, current.version);
        else await this.collection.replace({ ...current.document, leased: false, dueAt: next > now ? next : now }, current.version);
        return true;
      });
      if (done) return;
    }
  }

  async earliestDueAt(): Promise<Date | undefined> {
    const { items } = await this.collection.find({ orderBy: 'dueAt', direction: 'ascending', limit: 1 });
    return items[0] && new Date(items[0].document.dueAt);
  }
}

async function unlessOvertaken<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if ((error as AppError).code === 'version_conflict') return undefined;
    throw error;
  }
}
