import {
  eventFromJson,
  eventToJson,
  stampEvent,
  TELLS_OF_ERASURE,
  type EventJson,
  type EventStamps,
  type NewEvent,
  type OutboxEvent,
  type OutboxSource,
  type PendingEvents,
  type RefusedEvent,
} from '@parlance/event-bus';
import type { mongo } from 'mongoose';
import type { DeclaredCollections } from '../declared-collections.js';
import type { DocumentRecord, OutboxCommit } from './document-record.js';
import type { MongoServer } from './mongo-server.js';
import type { RelayRegistry } from './relay-registry.js';

/** A search on the server for collections that this process has not declared, but an earlier version may have written to. */
const LIST_EVERY_MS = 30_000;

type PendingRecord = Pick<DocumentRecord, '_id' | 'outbox'>;
type Ref = [collection: string, id: string, ref: string];

/** A dot, so that no collection of a service has the name. */
const REFUSED = 'outbox.refused';
const DEFAULT_LIMIT = 100;

interface RefusedRecord {
  /** The id of the event. */
  _id: string;
  key: string;
  type: string;
  /** JSON. */
  event: string;
  reason: string;
  refusedAt: string;
}

interface PendingCommit {
  collection: string;
  id: string;
  commit: OutboxCommit;
  /** Its time, or a later one of a commit before it in the document: clocks of writers differ. */
  at: string;
}

/** Events between their document's commit and the bus; they lie in the document's record, in the order of its commits. */
export class MongoOutbox implements OutboxSource {
  private readonly listeners: (() => void)[] = [];
  private stored: readonly string[] = [];
  private listedAt = -Infinity;

  constructor(
    private readonly server: MongoServer,
    private readonly declared: DeclaredCollections,
    private readonly relays: RelayRegistry,
    private readonly stamps: EventStamps,
  ) {}

  /** The part of the outbox that is written with the record; undefined without events. */
  commit(events: readonly NewEvent[] | undefined): OutboxCommit | undefined {
    const stamped = (events ?? []).map((event) => stampEvent(event, this.stamps));
    const [first] = stamped;
    return first && { ref: first.id, at: first.time, by: this.relays.self, events: JSON.stringify(stamped.map(eventToJson)) };
  }

  /** After a write with a commit. */
  committed(): void {
    this.listeners.forEach((listener) => listener());
  }

  onCommit(listener: () => void): void {
    this.listeners.push(listener);
  }

  async pending(limit: number): Promise<PendingEvents[]> {
    const others = await this.relays.othersAlive();
    const found = await Promise.all((await this.collections()).map((name) => this.pendingIn(name, others, limit)));
    return found
      .flat()
      .toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
      .slice(0, limit)
      .map(({ collection, id, commit }) => ({
        ref: JSON.stringify([collection, id, commit.ref] satisfies Ref),
        events: (JSON.parse(commit.events) as EventJson[]).map(eventFromJson),
      }));
  }

  async settle(pending: readonly PendingEvents[]): Promise<void> {
    const refs = pending.map(({ ref }) => JSON.parse(ref) as Ref);
    for (const [collection, inCollection] of Map.groupBy(refs, ([name]) => name)) {
      const byId = Map.groupBy(inCollection, ([, id]) => id);
      const pulls = [...byId].map(([id, ofDocument]) => ({
        updateOne: { filter: { _id: id }, update: { $pull: { outbox: { ref: { $in: ofDocument.map(([, , ref]) => ref) } } } } },
      }));
      await this.server.call((database) => database.collection<DocumentRecord>(collection).bulkWrite(pulls, { ordered: false }));
      await this.tidy(collection, [...byId.keys()]);
    }
  }

  async setAside(event: OutboxEvent, reason: string): Promise<void> {
    const refusedAt = this.stamps.clock.now().toISOString();
    const record = { key: event.key, type: event.type, event: JSON.stringify(eventToJson(event)), reason, refusedAt };
    await this.inRefused((records) => records.updateOne({ _id: event.id }, { $setOnInsert: record }, { upsert: true }));
  }

  async refused(limit = DEFAULT_LIMIT): Promise<RefusedEvent[]> {
    const found = await this.inRefused((records) => records.find({}, { sort: { refusedAt: 1, _id: 1 }, limit }).toArray());
    return found.map(({ event, reason, refusedAt }) => ({ event: eventFromJson(JSON.parse(event) as EventJson), reason, refusedAt }));
  }

  async dropRefused(eventId: string): Promise<boolean> {
    const { deletedCount } = await this.inRefused((records) => records.deleteOne({ _id: eventId }));
    return deletedCount > 0;
  }

  async eraseRefused(key: string): Promise<void> {
    const ofKey = [{ key }, { key: { $gt: `${key}/`, $lt: `${key}0` } }];
    await this.inRefused((records) => records.deleteMany({ $or: ofKey, type: { $nin: [...TELLS_OF_ERASURE] } }));
  }

  async forgetRefused(before: Date): Promise<void> {
    await this.inRefused((records) => records.deleteMany({ refusedAt: { $lt: before.toISOString() } }));
  }

  private inRefused<R>(work: (records: mongo.Collection<RefusedRecord>) => Promise<R>): Promise<R> {
    return this.server.call((database) => work(database.collection<RefusedRecord>(REFUSED)));
  }

  /** Takes records whose outbox is empty out of its index; each step may be repeated, and one that was not done is done by the next look. */
  private async tidy(collection: string, ids: string[]): Promise<void> {
    const empty = { pending: true, outbox: { $size: 0 } };
    await this.server.call(async (database) => {
      const records = database.collection<DocumentRecord>(collection);
      await records.deleteMany({ _id: { $in: ids }, ...empty, removed: true });
      const updates = ids.map((id) => ({ updateOne: { filter: { _id: id, ...empty }, update: { $set: { pending: false }, $unset: { pendingSince: '' as const } } } }));
      await records.bulkWrite(updates, { ordered: false });
    });
  }

  /** Whole documents, so that no event overtakes one before it: a document is relayed by whom its oldest commit belongs to. */
  private async pendingIn(collection: string, others: readonly string[], limit: number): Promise<PendingCommit[]> {
    const records = await this.server.call((database) =>
      database
        .collection<DocumentRecord>(collection)
        .find({ pending: true, 'outbox.0.by': { $nin: others } } as mongo.Filter<DocumentRecord>, { limit, sort: { pendingSince: 1, _id: 1 } })
        .project<PendingRecord>({ pendingSince: 1, outbox: { $slice: limit } })
        .toArray(),
    );
    const empty = records.filter(({ outbox }) => outbox.length === 0).map(({ _id }) => _id);
    if (empty.length > 0) await this.tidy(collection, empty);
    return records.flatMap(({ _id: id, outbox }) => {
      let at = '';
      return outbox.map((commit) => {
        at = commit.at > at ? commit.at : at;
        return { collection, id, commit, at };
      });
    });
  }

  private async collections(): Promise<string[]> {
    const now = this.stamps.clock.now().getTime();
    if (Math.abs(now - this.listedAt) >= LIST_EVERY_MS) {
      const listed = await this.server.call((database) => database.listCollections({ type: 'collection' }, { nameOnly: true }).toArray());
      this.stored = listed.map(({ name }) => name).filter((name) => !name.includes('.'));
      this.listedAt = now;
    }
    return [...new Set([...this.stored, ...this.declared.definitions.map(({ name }) => name)])];
  }
}
