/** Why a task was stopped from outside: its job is not wanted any more. */
class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

/** What runs in this process for each job, so that a cancellation reaches the engine at once. */
export class RunningTasks {
  private readonly tasks = new Map<string, Set<AbortController>>();

  /** Runs the work with a signal that `signal` and `stop(jobId)` abort. @returns undefined when it ended because of `stop`. */
  async run<T>(jobId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const controller = new AbortController();
    const tasks = this.tasks.get(jobId) ?? new Set();
    this.tasks.set(jobId, tasks.add(controller));
    try {
      return await work(AbortSignal.any([signal, controller.signal]));
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      tasks.delete(controller);
      if (tasks.size === 0) this.tasks.delete(jobId);
    }
  }

  stop(jobId: string): void {
    for (const task of this.tasks.get(jobId) ?? []) task.abort(new JobStopped('The job is not wanted any more.'));
  }
}
