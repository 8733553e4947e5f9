import type { TaskQueue } from '../task-queue.js';
import type { TaskQueueOptions } from '../work/queue-options.js';

export type ConnectOptions = Pick<TaskQueueOptions, 'drainMs' | 'times' | 'observer' | 'maxTakeOvers'> & Partial<Pick<TaskQueueOptions, 'clock'>>;

/** An adapter on a store of its own. */
export interface TaskQueueUnderTest {
  /** For processes of their own, which open the store by `openTaskQueue`. */
  url: string;
  service: string;
  /** A queue on the store, as each process has one; closed by the fixture. */
  connect(options: ConnectOptions): Promise<TaskQueue>;
  /** Removes the data; every queue is closed by then. */
  dispose(): Promise<void>;
}
