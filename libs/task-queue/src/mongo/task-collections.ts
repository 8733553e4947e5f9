import type { IndexOptions, IndexReport } from '@parlance/storage';
import type { MongoServer } from '@parlance/storage/mongo';
import type { TaskDocument, WorkerDocument } from './task-document.js';

/** A dot, so that no collection of a service has the name. */
const TASKS = 'task_queue.tasks';
const WORKERS = 'task_queue.workers';
const POSITIONS = 'task_queue.positions';

const PREFIX = 'parlance_';

interface TaskIndex {
  name: string;
  key: Record<string, 1 | -1>;
  unique?: true;
  sparse?: true;
}

const INDEXES: TaskIndex[] = [
  // Also for the lanes: the server steps over the tasks of each.
  { name: 'parlance_lanes', key: { queue: 1, state: 1, lane: 1, priority: -1, position: 1 } },
  { name: 'parlance_due', key: { queue: 1, state: 1, dueAt: 1, audioSeconds: 1 } },
  { name: 'parlance_group', key: { queue: 1, group: 1 } },
  { name: 'parlance_key', key: { key: 1, state: 1, position: 1 }, sparse: true },
  { name: 'parlance_head', key: { head: 1 }, unique: true, sparse: true },
  { name: 'parlance_dead', key: { state: 1, failedAt: -1 } },
];

type Database = Awaited<ReturnType<MongoServer['database']>>;
export type Tasks = ReturnType<typeof tasksOf>;

const tasksOf = (database: Database) => database.collection<TaskDocument>(TASKS);
const workersOf = (database: Database) => database.collection<WorkerDocument>(WORKERS);

/** The collections of a queue. Their indexes are made at the first call: they hold unfinished work only, and are small. */
export class TaskCollections {
  private indexes: Promise<unknown> | undefined;

  constructor(private readonly server: MongoServer) {}

  /** @throws AppError database_unavailable */
  async tasks<R>(work: (tasks: Tasks) => Promise<R>): Promise<R> {
    return this.server.call(async (database) => {
      await this.indexed(database);
      return work(tasksOf(database));
    });
  }

  workers<R>(work: (workers: ReturnType<typeof workersOf>) => Promise<R>): Promise<R> {
    return this.server.call((database) => work(workersOf(database)));
  }

  /**
   * Takes so many positions in the order of adding, which no other process gets. By a counter and the server's clock: the clocks of
   * two producers may differ. Positions of earlier versions were the microseconds of a producer's clock, and come before.
   * @returns the last of them
   */
  async takePositions(count: number): Promise<number> {
    return this.server.call(async (database) => {
      const begin = { $max: [{ $ifNull: ['$last', 0] }, { $multiply: [{ $toLong: '$$NOW' }, 1000] }] };
      const taken = await database.collection<{ _id: string; last: number }>(POSITIONS).findOneAndUpdate({ _id: 'last' }, [{ $set: { last: { $add: [begin, count] } } }], { upsert: true, returnDocument: 'after' });
      return Number(taken?.last);
    });
  }

  async ensureIndexes({ dryRun = false, dropUnused = false }: IndexOptions): Promise<IndexReport> {
    return this.server.call(async (database) => {
      const existing = await indexNames(database);
      const unused = existing.filter((index) => index.startsWith(PREFIX) && !INDEXES.some(({ name }) => name === index));
      if (!dryRun) await this.indexed(database);
      if (dropUnused && !dryRun) for (const index of unused) await tasksOf(database).dropIndex(index);
      const created = INDEXES.filter(({ name }) => !existing.includes(name));
      return { created: created.map(({ name }) => `${TASKS}.${name}`), unused: unused.map((name) => `${TASKS}.${name}`) };
    });
  }

  private async indexed(database: Database): Promise<void> {
    this.indexes ??= tasksOf(database).createIndexes(INDEXES);
    try {
      await this.indexes;
    } catch (error) {
      this.indexes = undefined;
      throw error;
    }
  }
}

async function indexNames(database: Database): Promise<string[]> {
  const isThere = await database.listCollections({ name: TASKS }, { nameOnly: true }).hasNext();
  return isThere ? (await tasksOf(database).listIndexes().toArray()).map(({ name }: { name?: unknown }) => String(name)) : [];
}
