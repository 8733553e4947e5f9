import { searchUnavailable } from './opensearch-errors.js';
import { WAITING, WRITING, type OpenSearchServer } from './opensearch-server.js';

interface TaskState {
  completed: boolean;
  error?: { type?: string; reason?: string };
  response?: { version_conflicts?: number; failures?: { status?: number; cause?: { type?: string }; type?: string }[] };
}

const MAX_ROUNDS = 20;
/** The time that the server waits for a task before it answers that the task is still running. */
const TASK_WAIT = '10s';

/**
 * Removes what fits, as far as it is written now, and what is written again meanwhile where that fits too. An index that is
 * closed to writes is waited for.
 */
export async function removeWhere(server: OpenSearchServer, index: string, query: object): Promise<void> {
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    // Searches behind the removal do not see what is not refreshed.
    await server.call({ method: 'POST', path: `/${index}/_refresh` }, WRITING);
    const { version_conflicts: conflicts = 0, failures = [] } = await runTask(server, `/${index}/_delete_by_query`, { query }, { conflicts: 'proceed', refresh: true });
    if (conflicts === 0 && failures.length === 0) return;
    await server.pause(server.waitAfter(round));
  }
  throw searchUnavailable('The search server did not remove all requested documents.');
}

/** A task of the server, however long it takes. @throws AppError when it fails as a whole */
export async function runTask(server: OpenSearchServer, path: string, body: object, query: Record<string, string | boolean> = {}): Promise<NonNullable<TaskState['response']>> {
  const { task } = await server.call<{ task: string }>({ method: 'POST', path, query: { ...query, wait_for_completion: false }, body }, WRITING);
  for (;;) {
    // Status 408 or 500 means that the task is still running.
    const state = await server.call<Partial<TaskState>>({ method: 'GET', path: `/_tasks/${task}`, query: { wait_for_completion: true, timeout: TASK_WAIT }, accept: [408, 500] }, WAITING);
    if (!state.completed) continue;
    if (state.error) throw searchUnavailable(`The search server aborted a task (${state.error.type ?? 'no reason given'}).`);
    return state.response ?? {};
  }
}
