import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock, ulidGenerator, type Clock } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { MongoServer, parseMongoUrl } from '@parlance/storage/mongo';
import { openTaskQueue, type TaskQueue } from '@parlance/task-queue';

/** Where a stage keeps its record and its tasks. */
export interface StageStores {
  documents: DocumentDatabase;
  tasks: TaskQueue;
  /** Moves the clock of the task queue on: tasks that wait for their time are due. */
  passTime(milliseconds: number): void;
  /** An empty folder for what else a stage needs. */
  folder: string;
  close(): Promise<void>;
}

const SERVICE = 'contract';
class MovingClock implements Clock {
  private passed = 0;

  now(): Date {
    return new Date(Date.now() + this.passed);
  }

  pass(milliseconds: number): void {
    this.passed += milliseconds;
  }
}

const stamps = { clock: systemClock, ids: ulidGenerator(), source: SERVICE };

export async function storesOnSqlite(): Promise<StageStores> {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-stage-'));
  const documents = await openDocumentDatabase(`sqlite:${join(folder, 'documents.db')}`, stamps);
  const clock = new MovingClock();
  const tasks = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { isOwner: true, clock, log: silentLogger() });
  const close = async () => {
    await tasks.close();
    await documents.close();
    // Work that a test does not wait for may still write a file of the media store.
    await rm(folder, { recursive: true, maxRetries: 5 });
  };
  return { documents, tasks, passTime: (milliseconds) => clock.pass(milliseconds), folder, close };
}

/** On the server that MONGODB_URI names. */
export async function storesOnMongo(): Promise<StageStores> {
  const at = new URL(process.env['MONGODB_URI'] ?? '');
  at.pathname = `/t_${randomBytes(6).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), 'parlance-stage-'));
  const documents = await openDocumentDatabase(`${at.href}&createIndexes=true`, stamps);
  const clock = new MovingClock();
  const tasks = await openTaskQueue(at.href, { service: SERVICE, clock, log: silentLogger() });
  const close = async () => {
    await tasks.close();
    await documents.close();
    const server = new MongoServer({ url: parseMongoUrl(at.href), service: SERVICE });
    await server.call((database) => database.dropDatabase());
    await server.close();
    // Work that a test does not wait for may still write a file of the media store.
    await rm(folder, { recursive: true, maxRetries: 5 });
  };
  return { documents, tasks, passTime: (milliseconds) => clock.pass(milliseconds), folder, close };
}
