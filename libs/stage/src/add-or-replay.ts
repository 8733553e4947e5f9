import { toAppError } from '@parlance/platform';
import type { NewTask, TaskQueue } from '@parlance/task-queue';

/**
 * Adds the task, or replays it if it is dead; one that waits or runs is left alone. A task is dead only when even its failure could
 * not be reported. Without this, no request would have any effect until dead tasks are removed.
 */
export async function addOrReplay<P>(tasks: TaskQueue, queue: string, task: NewTask<P>): Promise<void> {
  const added = await tasks.add(queue, [task]);
  if (added > 0 || (await tasks.deadTasks.get(queue, task.id)) === undefined) return;
  await tasks.deadTasks.replay(queue, task.id).catch((error: unknown) => {
    // Another request replayed it.
    if (toAppError(error).code !== 'not_found') throw error;
  });
}
