import type { Clock, Logger, Tries } from '@parlance/platform';
import type { IndexOptions, IndexReport } from '@parlance/storage';
import { isDuplicateKey, MongoServer, parseMongoUrl } from '@parlance/storage/mongo';
import { laneName, parseLane, type Lane } from '../store/lane.js';
import { Pages } from '../store/pages.js';
import { DEAD_TASK_RETENTION_MS, MAX_LANES, type Lease, type LeasedTask, type LeaseEnd, type LeaseTries, type QueueLook, type StoredTask, type TaskStore } from '../store/task-store.js';
import type { Backlog, DeadTask } from '../task-queue.js';
import { TaskCollections, type Tasks } from './task-collections.js';
import { nameIn, toDeadTask, toDocument, toLeased, type TaskDocument } from './task-document.js';

interface MongoTaskStoreOptions {
  clock: Clock;
  log: Logger;
  leaseMs: number;
  /** The service whose tasks these are. */
  service: string;
  /** Instead of one in the URL. */
  password?: string | undefined;
}

const INSERT_AT_ONCE = 1000;

/** Keys that one maintenance looks at; the next continues after them. */
const MAX_KEYS = 1000;

const FIRST_TRY: Tries = { attempt: 1 };
/** For a task that was woken while it ran: the time of the wake-up is earlier. */
const NEVER = new Date(8.64e15);

/** A process that was killed counts towards the capacity for so many leases. */
const CAPACITY_LEASES = 3;

/** The tasks of one service in its database on MongoDB. Leases go by the server's clock; no transaction and no change stream is needed. */
export class MongoTaskStore implements TaskStore {
  private readonly collections: TaskCollections;
  private readonly lanes = new Pages(MAX_LANES);
  private readonly blockedKeys = new Pages(MAX_KEYS);
  /** The server's time at the last heartbeat. */
  private serverNow: Date | undefined;

  constructor(
    private readonly server: MongoServer,
    private readonly options: Pick<MongoTaskStoreOptions, 'clock' | 'leaseMs'>,
  ) {
    this.collections = new TaskCollections(server);
  }

  /** Does not wait for the server: calls do. @throws ConfigError */
  static open(url: string, options: MongoTaskStoreOptions): MongoTaskStore {
    const { service, password, log } = options;
    return new MongoTaskStore(new MongoServer({ url: parseMongoUrl(url), service, password, log }), options);
  }

  async insert(tasks: readonly StoredTask[]): Promise<number> {
    const now = this.now();
    const documents = await this.toDocuments(tasks, now);
    let added = 0;
    for (let start = 0; start < documents.length; start += INSERT_AT_ONCE) added += await this.insertNew(documents.slice(start, start + INSERT_AT_ONCE));
    // Also of those that were there: the process that added them may have died before this step.
    await this.freeKeys(documents.map(({ key }) => key));
    return added;
  }

  async wake(tasks: readonly StoredTask[]): Promise<void> {
    const now = this.now();
    const documents = await this.toDocuments(tasks, now);
    await this.collections.tasks(async (collection) => {
      const updates = documents.map((document) => ({ updateOne: { filter: { _id: nameIn(document.queue, document.id) }, update: wakeUp(document, now), upsert: true } }));
      // Two processes that add a task at once: the second finds it there.
      await collection.bulkWrite(updates, { ordered: false }).catch((error: unknown) => (isDuplicateKey(error) ? collection.bulkWrite(updates, { ordered: false }) : Promise.reject(error)));
    });
    await this.freeKeys(documents.map(({ key }) => key));
  }

  async look(queue: string): Promise<QueueLook> {
    return this.collections.tasks(async (tasks) => {
      const nextDue = () => tasks.findOne({ queue, state: 'delayed' }, { sort: { dueAt: 1 }, projection: { dueAt: 1 } });
      let next = await nextDue();
      const now = this.now();
      if (next && next.dueAt <= now) {
        await tasks.updateMany({ queue, state: 'delayed', dueAt: { $lte: now } }, { $set: { state: 'waiting' } });
        next = await nextDue();
      }
      const [lanes, running] = await Promise.all([
        this.lanes.next(queue, (after, limit) => distinct(tasks, 'lane', { queue, state: 'waiting' }, { after, limit })),
        tasks.aggregate<{ _id: string; count: number }>([{ $match: { queue, state: 'running' } }, { $group: { _id: '$lane', count: { $sum: 1 } } }]).toArray(),
      ]);
      return { waiting: lanes.map(parseLane), running: running.map(({ _id: lane, count }) => ({ ...parseLane(lane), count })), nextDueAt: next?.dueAt };
    });
  }

  claim(queue: string, lane: Lane, worker: string): Promise<LeasedTask | undefined> {
    return this.collections.tasks(async (tasks) => {
      const task = await tasks.findOneAndUpdate(
        { queue, state: 'waiting', lane: laneName(lane) },
        claimedBy(worker),
        { sort: { priority: -1, position: 1 }, returnDocument: 'after' },
      );
      return task ? toLeased(task) : undefined;
    });
  }

  async heartbeat(worker: string, capacities: ReadonlyMap<string, number>, leases: readonly Lease[]): Promise<Lease[]> {
    const announced = [...capacities].map(([queue, capacity]) => ({ queue, capacity }));
    const seen = await this.collections.workers((workers) =>
      workers.findOneAndUpdate({ _id: worker }, { $set: { capacities: announced }, $currentDate: { seenAt: true } }, { upsert: true, returnDocument: 'after' }),
    );
    this.serverNow = seen?.seenAt;
    if (leases.length === 0) return [];
    const ids = leases.map(({ queue, id }) => nameIn(queue, id));
    return this.collections.tasks(async (tasks) => {
      // Also those whose lease ran out and that are still this worker's.
      await tasks.updateMany({ _id: { $in: ids }, worker, state: { $in: ['running', 'waiting'] } }, { $set: { state: 'running' }, $currentDate: { renewedAt: true } });
      const kept = await tasks.find({ _id: { $in: ids }, worker, state: 'running' }, { projection: { token: 1 } }).toArray();
      const tokens = new Map(kept.map(({ _id, token }) => [_id, token]));
      return leases.filter(({ queue, id, fencingToken }) => tokens.get(nameIn(queue, id)) !== fencingToken);
    });
  }

  renew(lease: Lease): Promise<boolean> {
    return this.collections.tasks(async (tasks) => (await tasks.updateOne(ofLease(lease), { $set: { state: 'running' }, $currentDate: { renewedAt: true } })).matchedCount > 0);
  }

  takeOver(queue: string): Promise<number> {
    const { serverNow } = this;
    if (!serverNow) return Promise.resolve(0);
    const expired = new Date(serverNow.getTime() - this.options.leaseMs);
    return this.collections.tasks(async (tasks) => (await tasks.updateMany({ queue, state: 'running', renewedAt: { $lt: expired } }, { $set: { state: 'waiting' } })).modifiedCount);
  }

  async complete(lease: Lease): Promise<LeaseEnd | undefined> {
    const done = await this.collections.tasks((tasks) => tasks.findOneAndDelete({ ...ofLease(lease), wakeAt: { $exists: false } }, { projection: { key: 1 } }));
    if (!done) return this.putBack(lease, FIRST_TRY, NEVER);
    await this.freeKeys([done.key]);
    return {};
  }

  putBack(lease: Lease, { attempt, outages = 0, waitedMs = 0, takeOvers = 0 }: LeaseTries, dueAt: Date): Promise<LeaseEnd | undefined> {
    return this.collections.tasks(async (tasks) => {
      const due = { $min: [dueAt, { $ifNull: ['$wakeAt', dueAt] }] };
      const changed = { dueAt: due, state: stateAt(due, this.now()), attempt, outages, waitedMs, takeOvers, token: { $add: ['$token', 1] } };
      const task = await tasks.findOneAndUpdate(ofLease(lease), [{ $set: changed }, { $unset: ['worker', 'wakeAt'] }], { projection: { dueAt: 1 }, returnDocument: 'after' });
      return task ? { dueAt: task.dueAt } : undefined;
    });
  }

  async bury(lease: Lease, reason: string, failedAt: Date): Promise<boolean> {
    const dead = await this.collections.tasks((tasks) =>
      tasks.findOneAndUpdate(ofLease(lease), { $set: { state: 'dead', reason, failedAt }, $inc: { token: 1 }, $unset: { worker: true, head: true, wakeAt: true } }, { projection: { key: 1 } }),
    );
    await this.freeKeys([dead?.key]);
    return dead !== null;
  }

  async removeGroup(queue: string, group: string): Promise<number> {
    const { keys, count } = await this.collections.tasks(async (tasks) => {
      const held = await tasks.distinct('head', { queue, group });
      const { deletedCount } = await tasks.deleteMany({ queue, group });
      return { keys: held, count: deletedCount };
    });
    await this.freeKeys(keys);
    return count;
  }

  async backlog(queue: string): Promise<Backlog> {
    const now = this.now();
    const since = new Date(now.getTime() - CAPACITY_LEASES * this.options.leaseMs);
    const workers = await this.collections.workers((all) => all.find({ seenAt: { $gt: since } }).toArray());
    const capacities = workers.flatMap(({ capacities: each }) => each.filter((announced) => announced.queue === queue).map(({ capacity }) => capacity));
    const { states, due } = await this.collections.tasks(async (tasks) => ({
      states: await tasks
        .aggregate<StateCount>([{ $match: { queue } }, { $group: { _id: '$state', count: { $sum: 1 }, oldest: { $min: '$dueAt' }, audioSeconds: { $sum: '$audioSeconds' } } }])
        .toArray(),
      due: await tasks.countDocuments({ queue, state: 'delayed', dueAt: { $lte: now } }),
    }));
    return { ...backlogOf(new Map(states.map(({ _id: state, ...counts }) => [state, counts])), due, now), capacity: capacities.reduce((sum, capacity) => sum + capacity, 0) };
  }

  deadTasks(queue: string | undefined, limit: number): Promise<DeadTask[]> {
    const which = { state: 'dead' as const, ...(queue !== undefined && { queue }) };
    return this.collections.tasks(async (tasks) => (await tasks.find(which).sort({ failedAt: -1, position: -1 }).limit(limit).toArray()).map(toDeadTask));
  }

  deadTask(queue: string, id: string): Promise<DeadTask | undefined> {
    return this.collections.tasks(async (tasks) => {
      const document = await tasks.findOne({ _id: nameIn(queue, id), state: 'dead' });
      return document ? toDeadTask(document) : undefined;
    });
  }

  async replay(queue: string, id: string): Promise<boolean> {
    const dead = { _id: nameIn(queue, id), state: 'dead' as const };
    const replayed = await this.collections.tasks(async (tasks) => {
      const { key } = (await tasks.findOne(dead, { projection: { key: 1 } })) ?? {};
      const fresh = { dueAt: this.now(), attempt: 1, outages: 0, waitedMs: 0, takeOvers: 0, state: key === undefined ? ('waiting' as const) : ('blocked' as const) };
      return tasks.findOneAndUpdate(dead, { $set: fresh, $inc: { token: 1 }, $unset: { reason: true, failedAt: true, worker: true } }, { projection: { key: 1 } });
    });
    await this.freeKeys([replayed?.key]);
    return replayed !== null;
  }

  drop(queue: string, id: string): Promise<boolean> {
    return this.collections.tasks(async (tasks) => (await tasks.deleteOne({ _id: nameIn(queue, id), state: 'dead' })).deletedCount > 0);
  }

  async maintain(): Promise<void> {
    const now = this.now().getTime();
    const keys = await this.collections.tasks(async (tasks) => {
      await tasks.deleteMany({ state: 'dead', failedAt: { $lt: new Date(now - DEAD_TASK_RETENTION_MS) } });
      return this.blockedKeys.next('', (after, limit) => distinct(tasks, 'key', { state: 'blocked' }, { after, limit }));
    });
    await this.freeKeys(keys);
    const gone = new Date(now - 2 * CAPACITY_LEASES * this.options.leaseMs);
    await this.collections.workers((workers) => workers.deleteMany({ seenAt: { $lt: gone } }));
  }

  async leave(worker: string): Promise<void> {
    await this.collections.workers((workers) => workers.deleteOne({ _id: worker }));
  }

  ensureIndexes(options: IndexOptions): Promise<IndexReport> {
    return this.collections.ensureIndexes(options);
  }

  check(): Promise<void> {
    return this.server.check();
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private async insertNew(documents: TaskDocument[]): Promise<number> {
    return this.collections.tasks(async (tasks) => {
      try {
        return (await tasks.insertMany(documents, { ordered: false })).insertedCount;
      } catch (error) {
        const { writeErrors, result } = error as { writeErrors?: unknown; result?: { insertedCount?: number } };
        const failures = [writeErrors ?? []].flat();
        // The message of the whole has the code of one of its parts.
        if (!isDuplicateKey(error) || !failures.every(isDuplicateKey)) throw error;
        return result?.insertedCount ?? documents.length - failures.length;
      }
    });
  }

  /** Lets the first task of each key run, unless one holds the key. The unique index over `head` decides between processes. */
  private async freeKeys(keys: readonly (string | undefined)[]): Promise<void> {
    for (const key of new Set(keys)) if (key !== undefined) await this.collections.tasks((tasks) => this.freeKey(tasks, key));
  }

  private async freeKey(tasks: Tasks, key: string): Promise<void> {
    for (;;) {
      if (await tasks.findOne({ head: key }, { projection: { _id: 1 } })) return;
      const first = await tasks.findOne({ key, state: 'blocked' }, { sort: { position: 1 }, projection: { dueAt: 1, enqueuedAt: 1 } });
      if (!first) return;
      const { _id, dueAt, enqueuedAt } = first;
      // A task that was due when it was added never waits, whatever its producer's clock said.
      const state = dueAt > this.now() && dueAt > enqueuedAt ? 'delayed' : 'waiting';
      try {
        const { matchedCount } = await tasks.updateOne({ _id, state: 'blocked' }, { $set: { state, head: key } });
        if (matchedCount > 0) return;
      } catch (error) {
        if (isDuplicateKey(error)) return;
        throw error;
      }
    }
  }

  private async toDocuments(tasks: readonly StoredTask[], now: Date): Promise<TaskDocument[]> {
    const last = await this.collections.takePositions(tasks.length);
    return tasks.map((task, index) => toDocument(task, last - tasks.length + 1 + index, now));
  }

  private now(): Date {
    return this.options.clock.now();
  }
}

/** The values of a field in order, after one of them. `parlance_lanes` lets the server step over the tasks of each lane; for keys it reads all blocked tasks, as no index begins with state and key. All values are grouped before the limit applies. */
async function distinct(tasks: Tasks, field: 'lane' | 'key', filter: { queue?: string; state: TaskDocument['state'] }, { after, limit }: { after: string; limit: number }): Promise<string[]> {
  const values = await tasks.aggregate<{ _id: string }>([{ $match: { ...filter, [field]: { $gt: after } } }, { $sort: { [field]: 1 } }, { $group: { _id: `$${field}` } }, { $sort: { _id: 1 } }, { $limit: limit }]).toArray();
  return values.map(({ _id }) => _id);
}

/** The state of a task that is due at the time which an expression gives. */
const stateAt = (due: object, now: Date) => ({ $cond: [{ $gt: [due, now] }, 'delayed', 'waiting'] });

/** An update that inserts the task, or makes it due. A dead task is left alone. */
function wakeUp(task: TaskDocument, now: Date): object[] {
  const due = { $min: ['$dueAt', task.dueAt] };
  // A worker whose lease ran out may still have a waiting task.
  const wakeAt = { $min: [{ $ifNull: ['$wakeAt', task.dueAt] }, task.dueAt] };
  const changes: [state: TaskDocument['state'], changed: object][] = [
    ['running', { wakeAt }],
    ['waiting', { wakeAt, dueAt: due }],
    ['delayed', { dueAt: due, state: stateAt(due, now) }],
    ['blocked', { dueAt: due }],
  ];
  const isNew = { $eq: [{ $ifNull: ['$state', 'new'] }, 'new'] };
  const changed = changes.map(([state, change]) => ({ $cond: [{ $eq: ['$state', state] }, change, {}] }));
  return [{ $replaceWith: { $cond: [isNew, { $literal: task }, { $mergeObjects: ['$$ROOT', ...changed] }] } }];
}

/** Reads who had the lease before in the step that gives it away. `$$NOW` is the server's clock. */
const claimedBy = (worker: string) => {
  const isTakenOver = { $ne: [{ $ifNull: ['$worker', ''] }, ''] };
  const takeOvers = { $add: [{ $ifNull: ['$takeOvers', 0] }, { $cond: [isTakenOver, 1, 0] }] };
  // Counts in a stage of its own, before the worker changes.
  return [{ $set: { takeOvers, isTakenOver } }, { $set: { state: 'running', worker: { $literal: worker }, renewedAt: '$$NOW', token: { $add: ['$token', 1] } } }, { $unset: ['wakeAt'] }];
};

interface StateCount {
  _id: TaskDocument['state'];
  count: number;
  oldest: Date | null;
  audioSeconds: number;
}

/** @param due delayed tasks whose time has come */
function backlogOf(states: ReadonlyMap<TaskDocument['state'], Omit<StateCount, '_id'>>, due: number, now: Date): Omit<Backlog, 'capacity'> {
  const countOf = (state: TaskDocument['state']) => states.get(state)?.count ?? 0;
  const audioOf = (state: TaskDocument['state']) => states.get(state)?.audioSeconds ?? 0;
  const oldest = [states.get('waiting')?.oldest, due > 0 ? states.get('delayed')?.oldest : undefined].flatMap((time) => (time ? [time.getTime()] : []));
  return {
    waiting: countOf('waiting') + countOf('blocked') + due,
    delayed: countOf('delayed') - due,
    running: countOf('running'),
    dead: countOf('dead'),
    oldestAgeSeconds: oldest.length === 0 ? 0 : Math.max(0, now.getTime() - Math.min(...oldest)) / 1000,
    waitingAudioSeconds: audioOf('waiting') + audioOf('blocked'),
  };
}

/** The lease is the caller's: an expired one that no other worker got included. */
const ofLease = ({ queue, id, fencingToken }: Lease) => ({ _id: nameIn(queue, id), token: fencingToken, state: { $in: ['running' as const, 'waiting' as const] } });
