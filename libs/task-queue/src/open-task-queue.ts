import { ConfigError } from '@parlance/platform';
import type { Durability } from '@parlance/platform/sqlite';
import type { TaskQueue } from './task-queue.js';
import { SqliteTaskStore } from './sqlite/sqlite-task-store.js';
import { LeasedTaskQueue } from './work/leased-task-queue.js';
import { DEFAULT_LEASE_TIMES, type TaskQueueOptions } from './work/queue-options.js';

interface OpenTaskQueueOptions extends TaskQueueOptions {
  /** Durability of an embedded queue; default: power. */
  durability?: Durability | undefined;
  /** On a server: the service whose tasks these are. Each has a database of its own. */
  service?: string | undefined;
  /** The password of the URL's user, when the URL is a server's and does not have it. */
  password?: string | undefined;
  /** For an embedded queue: true when no other process uses it, so that leases of before are free at once. */
  isOwner?: boolean | undefined;
}

/**
 * The task queue that the URL names: `sqlite:<path of a file>`, or `mongodb://<hosts>/<name>?<options>` (`mongodb+srv://`), on
 * which each service has the database `<name>_<service>`.
 * @throws ConfigError when no adapter takes the URL.
 */
export async function openTaskQueue(url: string, options: OpenTaskQueueOptions): Promise<TaskQueue> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  const rest = url.slice(scheme.length);
  const { leaseMs } = options.times ?? DEFAULT_LEASE_TIMES;
  if (scheme === 'sqlite:' && rest !== '') return new LeasedTaskQueue(SqliteTaskStore.open(rest, { ...options, leaseMs }), options);
  if (scheme === 'mongodb:' || scheme === 'mongodb+srv:') {
    // Here, so that the embedded shape does not load the driver.
    const { MongoTaskStore } = await import('./mongo/mongo-task-store.js');
    return new LeasedTaskQueue(MongoTaskStore.open(url, { ...options, leaseMs, service: options.service ?? 'tasks' }), options);
  }
  throw new ConfigError([`TASK_QUEUE_URL: no task queue for ${scheme || 'a URL without a scheme'}; it must be sqlite:<file> or mongodb://<hosts>/<name>`]);
}
