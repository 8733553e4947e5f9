import type { DatabaseSync } from 'node:sqlite';
import { AppError, type Clock, type Logger, type Tries } from '@parlance/platform';
import { GroupCommit, openSqliteDatabase, type Durability, type FileSync } from '@parlance/platform/sqlite';
import type { IndexReport } from '@parlance/storage';
import { laneName, parseLane, type Lane } from '../store/lane.js';
import { Pages } from '../store/pages.js';
import { DEAD_TASK_RETENTION_MS, dueAtOf, MAX_LANES, type Lease, type LeasedTask, type LeaseEnd, type LeaseTries, type QueueLook, type StoredTask, type TaskStore } from '../store/task-store.js';
import type { Backlog, DeadTask } from '../task-queue.js';
import { MIGRATIONS } from './schema.js';
import { taskStatements } from './task-statements.js';
import { toDeadRow, toLeased, type TaskRow } from './task-row.js';

interface SqliteTaskStoreOptions {
  clock: Clock;
  log: Logger;
  leaseMs: number;
  /** Default: power. */
  durability?: Durability | undefined;
  /** Default: fdatasync. */
  sync?: FileSync | undefined;
  /** No other process runs tasks of the file: the leases that are there when it is opened are those of a process that has ended. */
  isOwner?: boolean | undefined;
}

const FIRST_TRY: Tries = { attempt: 1 };
/** For a task that was woken while it ran: the time of the wake-up is earlier. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Rows of one transaction: a few milliseconds of the event loop. */
const INSERT_ROWS = 256;

/** Tasks in one SQLite file. The statements of one turn of the event loop are one transaction. */
export class SqliteTaskStore implements TaskStore {
  private readonly statements: ReturnType<typeof taskStatements>;
  /** For what must survive a power cut once it is acknowledged. */
  private readonly durable: GroupCommit;
  /** For what a power cut may undo: a lease, and the end of a task, which is then done again. */
  private readonly quick: GroupCommit;
  private readonly lanes = new Pages(MAX_LANES);
  /** Capacities by worker and queue, as they are stored. */
  private readonly announced = new Map<string, number>();

  /** @param database with the tables of MIGRATIONS; closed with the store */
  constructor(
    private readonly database: DatabaseSync,
    private readonly options: SqliteTaskStoreOptions,
  ) {
    this.statements = taskStatements(database);
    this.durable = new GroupCommit(database, storeClosed, { durability: options.durability, sync: options.sync });
    this.quick = new GroupCommit(database, storeClosed, { durability: 'process' });
    if (!options.isOwner) return;
    this.statements.freeAll.run();
    this.statements.forgetWorkers.run();
  }

  static open(path: string, options: SqliteTaskStoreOptions): SqliteTaskStore {
    return new SqliteTaskStore(openSqliteDatabase(path, MIGRATIONS, { log: options.log }), options);
  }

  async insert(tasks: readonly StoredTask[]): Promise<number> {
    return this.writeEach(tasks, (task) => this.insertOne(task));
  }

  async wake(tasks: readonly StoredTask[]): Promise<void> {
    await this.writeEach(tasks, (task) => this.insertOne(task) || this.statements.wake.run(this.now(), this.dueMsOf(task), task.queue, task.id).changes > 0);
  }

  async look(queue: string): Promise<QueueLook> {
    const { due, lanes, running } = this.statements;
    if ((this.nextDue(queue) ?? Infinity) <= this.now()) await this.quick.run(1, () => due.run(this.now(), queue));
    const nextDue = this.nextDue(queue);
    const waiting = await this.lanes.next(queue, (after, limit) => lanes.all(queue, after, limit).map(({ lane }) => String(lane)));
    return {
      waiting: waiting.map(parseLane),
      running: running.all(queue).map(({ lane, count }) => ({ ...parseLane(String(lane)), count: Number(count) })),
      nextDueAt: nextDue === undefined ? undefined : new Date(nextDue),
    };
  }

  claim(queue: string, lane: Lane, worker: string): Promise<LeasedTask | undefined> {
    return this.quick.run(1, () => {
      const row = this.statements.claim.get(queue, laneName(lane), worker, this.leaseUntil()) as unknown as TaskRow | undefined;
      return row && toLeased(row);
    });
  }

  /** Commits nothing while nothing changes: an idle process leaves the disk alone. */
  async heartbeat(worker: string, capacities: ReadonlyMap<string, number>, leases: readonly Lease[]): Promise<Lease[]> {
    const { announce, renew } = this.statements;
    const changed = [...capacities].filter(([queue, capacity]) => this.announced.get(`${worker} ${queue}`) !== capacity);
    if (leases.length + changed.length === 0) return [];
    const lost = await this.quick.run(leases.length + changed.length, () => {
      for (const [queue, capacity] of changed) announce.run(worker, queue, capacity);
      return leases.filter((lease) => renew.run(worker, this.leaseUntil(), ...keyOf(lease)).changes === 0);
    });
    for (const [queue, capacity] of changed) this.announced.set(`${worker} ${queue}`, capacity);
    return lost;
  }

  renew(lease: Lease): Promise<boolean> {
    return this.quick.run(1, () => this.statements.prolong.run(this.leaseUntil(), ...keyOf(lease)).changes > 0);
  }

  async takeOver(queue: string): Promise<number> {
    const { hasExpired, takeOver } = this.statements;
    if (hasExpired.get(queue, this.now()) === undefined) return 0;
    return this.quick.run(1, () => Number(takeOver.run(queue, this.now()).changes));
  }

  complete(lease: Lease): Promise<LeaseEnd | undefined> {
    return this.quick.run(1, () => (this.leaving(lease.queue, this.statements.complete.all(...keyOf(lease))) ? {} : this.putBackNow(lease, FIRST_TRY, NEVER)));
  }

  putBack(lease: Lease, tries: LeaseTries, dueAt: Date): Promise<LeaseEnd | undefined> {
    return this.quick.run(1, () => this.putBackNow(lease, tries, dueAt.getTime()));
  }

  bury(lease: Lease, reason: string, failedAt: Date): Promise<boolean> {
    return this.durable.run(1, () => this.leaving(lease.queue, this.statements.bury.all(reason, failedAt.getTime(), ...keyOf(lease))));
  }

  removeGroup(queue: string, group: string): Promise<number> {
    return this.durable.run(1, () => {
      const removed = this.statements.removeGroup.all(queue, group);
      this.leaving(queue, removed);
      return removed.length;
    });
  }

  async backlog(queue: string): Promise<Backlog> {
    const now = this.now();
    const states = new Map(this.statements.states.all(queue, now).map((row) => [String(row['state']), row]));
    const countOf = (state: string) => Number(states.get(state)?.['count'] ?? 0);
    const audioOf = (state: string) => Number(states.get(state)?.['audio_seconds'] ?? 0);
    const due = Number(states.get('delayed')?.['due'] ?? 0);
    const oldest = [states.get('waiting')?.['oldest'], due > 0 ? states.get('delayed')?.['oldest'] : undefined].filter((time) => typeof time === 'number');
    const capacity = this.statements.capacity.get(queue)?.['capacity'];
    return {
      waiting: countOf('waiting') + countOf('blocked') + due,
      delayed: countOf('delayed') - due,
      running: countOf('running'),
      dead: countOf('dead'),
      oldestAgeSeconds: oldest.length === 0 ? 0 : Math.max(0, now - Math.min(...oldest)) / 1000,
      waitingAudioSeconds: audioOf('waiting') + audioOf('blocked'),
      capacity: Number(capacity ?? 0),
    };
  }

  async deadTasks(queue: string | undefined, limit: number): Promise<DeadTask[]> {
    return (this.statements.deadTasks.all(queue ?? null, limit) as unknown as TaskRow[]).map(toDeadRow);
  }

  async deadTask(queue: string, id: string): Promise<DeadTask | undefined> {
    const row = this.statements.deadTask.get(queue, id) as unknown as TaskRow | undefined;
    return row && toDeadRow(row);
  }

  async replay(queue: string, id: string): Promise<boolean> {
    return this.durable.run(1, () => {
      const row = this.statements.deadTask.get(queue, id) as unknown as TaskRow | undefined;
      if (!row) return false;
      this.statements.replay.run(this.isBlocked(queue, row.task_key) ? 'blocked' : 'waiting', this.now(), queue, id);
      return true;
    });
  }

  drop(queue: string, id: string): Promise<boolean> {
    return this.durable.run(1, () => this.statements.drop.run(queue, id).changes > 0);
  }

  async maintain(): Promise<void> {
    const { hasOldDead, forgetDead } = this.statements;
    const before = this.now() - DEAD_TASK_RETENTION_MS;
    if (hasOldDead.get(before) !== undefined) await this.quick.run(1, () => forgetDead.run(before));
  }

  async leave(worker: string): Promise<void> {
    await this.quick.run(1, () => this.statements.leave.run(worker));
  }

  async ensureIndexes(): Promise<IndexReport> {
    return { created: [], unused: [] };
  }

  async check(): Promise<void> {
    this.durable.check();
    this.statements.alive.get();
  }

  async close(): Promise<void> {
    if (!this.database.isOpen) return;
    try {
      await this.quick.close();
      await this.durable.close();
    } finally {
      this.database.close();
    }
  }

  /** Durably, in transactions of a few milliseconds. @returns how many tasks were written */
  private async writeEach(tasks: readonly StoredTask[], write: (task: StoredTask) => boolean): Promise<number> {
    let written = 0;
    for (let start = 0; start < tasks.length; start += INSERT_ROWS) {
      const part = tasks.slice(start, start + INSERT_ROWS);
      written += await this.durable.run(part.length, () => part.filter(write).length);
    }
    return written;
  }

  /** Within a transaction. @returns undefined when the lease is lost */
  private putBackNow(lease: Lease, { attempt, outages = 0, waitedMs = 0, takeOvers = 0 }: LeaseTries, dueAt: number): LeaseEnd | undefined {
    const row = this.statements.putBack.get(this.now(), dueAt, attempt, outages, waitedMs, ...keyOf(lease), takeOvers);
    return row && { dueAt: new Date(Number(row['due_at'])) };
  }

  /** Within a transaction. @returns whether it is new */
  private insertOne(task: StoredTask): boolean {
    const { queue, id, key, priority, enqueuedAt, audioSeconds, payload, traceparent } = task;
    const dueMs = this.dueMsOf(task);
    const free = dueMs > this.now() ? 'delayed' : 'waiting';
    const state = this.isBlocked(queue, key) ? 'blocked' : free;
    // A task that is removed and added again gets larger tokens than before.
    const token = this.now() * 1000;
    const values = [laneName(task), task.group, key ?? null, priority, state, enqueuedAt.getTime(), dueMs, audioSeconds ?? null, payload, traceparent ?? null, token];
    return this.statements.insert.run(queue, id, ...values).changes > 0;
  }

  private isBlocked(queue: string, key: string | null | undefined): boolean {
    return key !== undefined && key !== null && this.statements.holdsKey.get(queue, key) !== undefined;
  }

  /** Within a transaction: lets the next tasks of the keys run. @returns whether there were any */
  private leaving(queue: string, left: readonly Record<string, unknown>[]): boolean {
    const keys = new Set(left.map((row) => row['task_key']).filter((key) => typeof key === 'string'));
    for (const key of keys) this.statements.freeKey.run(this.now(), queue, key);
    return left.length > 0;
  }

  private nextDue(queue: string): number | undefined {
    const time = this.statements.nextDue.get(queue)?.['due_at'];
    return typeof time === 'number' ? time : undefined;
  }

  private dueMsOf(task: StoredTask): number {
    return dueAtOf(task, this.options.clock.now()).getTime();
  }

  private leaseUntil(): number {
    return this.now() + this.options.leaseMs;
  }

  private now(): number {
    return this.options.clock.now().getTime();
  }
}

const keyOf = ({ queue, id, fencingToken }: Lease): [string, string, number] => [queue, id, fencingToken];

const storeClosed = () => new AppError({ kind: 'unavailable', code: 'task_queue_closed', message: 'The task queue is closed.' });
