import { AppError } from '@parlance/platform';

/** What this process does for jobs right now, so that it can be stopped when a job ends. */
export class RunningWork {
  private readonly controllers = new Map<string, Set<AbortController>>();

  /** Runs the work with a signal that aborts when the job is stopped, or when the given signal does. */
  async run<T>(jobId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const ofJob = this.controllers.get(jobId) ?? new Set();
    this.controllers.set(jobId, ofJob.add(controller));
    try {
      return await work(AbortSignal.any([signal, controller.signal]));
    } finally {
      ofJob.delete(controller);
      if (ofJob.size === 0) this.controllers.delete(jobId);
    }
  }

  stop(jobId: string): void {
    const reason = new AppError({ kind: 'canceled', code: 'canceled', message: 'The job was canceled.' });
    for (const controller of this.controllers.get(jobId) ?? []) controller.abort(reason);
  }
}
