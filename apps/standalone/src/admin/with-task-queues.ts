import { existsSync, readFileSync } from 'node:fs';
import { createLogger, readConfig, systemClock, ulidGenerator } from '@parlance/platform';
// Not the whole runtime: a command should not wait for Nest to load.
import { openTasks, portUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import { SERVICE_NAMES, type ServiceName } from '@parlance/runtime/service-manifest';
import type { TaskQueue } from '@parlance/task-queue';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';

const { PARLANCE_DATA, TASK_QUEUE_URL, DATABASE_URL, DATABASE_PASSWORD } = processConfig;

/** Opens the task queues that the servers use, beside them: one file for all services, or a database for each. */
export async function withTaskQueues(env: Record<string, string | undefined>, work: (queues: readonly TaskQueue[]) => Promise<void>): Promise<void> {
  const urls = urlsOf(env);
  const isEmbedded = urls.tasks.startsWith('sqlite:');
  if (isEmbedded && !existsSync(urls.tasks.slice('sqlite:'.length))) {
    throw new AdminFailure(`There is no task queue at ${urls.tasks}; is PARLANCE_DATA or TASK_QUEUE_URL right?`, EXIT_FAILED);
  }
  const dependencies = dependenciesOf();
  const queues: TaskQueue[] = [];
  try {
    if (isEmbedded) queues.push(await openTasks(urls, dependencies));
    else for (const service of SERVICE_NAMES) queues.push(await openTasks(urls, dependencies, { service }));
    await work(queues);
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
  }
}

/** Opens the task queue of one service beside the servers. */
export async function withServiceTasks(env: Record<string, string | undefined>, service: ServiceName, work: (tasks: TaskQueue) => Promise<void>): Promise<void> {
  const tasks = await openTasks(urlsOf(env), dependenciesOf(), { service });
  try {
    await work(tasks);
  } finally {
    await tasks.close();
  }
}

const urlsOf = (env: Record<string, string | undefined>) =>
  portUrls(readConfig({ PARLANCE_DATA, TASK_QUEUE_URL, DATABASE_URL, DATABASE_PASSWORD }, { env, readFile: (path) => readFileSync(path, 'utf8') }));

const dependenciesOf = () => ({ clock: systemClock, ids: ulidGenerator(), log: createLogger({ level: 'warn', destination: process.stderr }) });
