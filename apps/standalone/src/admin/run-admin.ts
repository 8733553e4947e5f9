import { adminCommand } from './admin-command.js';
import { AdminFailure } from './admin-failure.js';
import type { AdminTools } from './admin-tools.js';
import { withEventBus } from './with-event-bus.js';
import { withOutboxes } from './with-outboxes.js';
import { withServiceTasks, withTaskQueues } from './with-task-queues.js';
import { withServiceDocuments } from './with-service-documents.js';

interface AdminProcess {
  env: Record<string, string | undefined>;
  writeOut: (text: string) => void;
  writeError: (text: string) => void;
}

/**
 * Runs the command that the arguments name.
 * @param argv as of a process: the first two are not looked at
 * @returns the exit code
 */
export async function runAdmin(argv: readonly string[], { env, writeOut, writeError }: AdminProcess): Promise<number> {
  const tools: AdminTools = {
    env,
    print: (text) => writeOut(`${text}\n`),
    say: (text) => writeError(`${text}\n`),
    withEventBus: (work) => withEventBus(env, work),
    withTaskQueues: (work) => withTaskQueues(env, work),
    withServiceTasks: (service, work) => withServiceTasks(env, service, work),
    withDocuments: (service, wait, work) => withServiceDocuments(env, service, wait, work),
    withOutboxes: (wait, work) => withOutboxes(env, wait, work),
  };
  try {
    await adminCommand(tools, { writeOut, writeErr: writeError }).parseAsync(argv);
    return 0;
  } catch (thrown) {
    const { message, exitCode } = AdminFailure.from(thrown);
    if (message !== '') writeError(`${message}\n`);
    return exitCode;
  }
}
