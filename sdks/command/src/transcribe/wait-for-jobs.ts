import type { Parlance } from '@parlance/client';
import type { Context } from '../context.js';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.js';
import { failureOf, Interruption } from '../failures.js';
import { inParallel } from './in-parallel.js';
import { progressView } from './progress-view.js';
import { finished } from './transcribe-input.js';

const JOBS_AT_A_TIME = 4;

/** Waits for jobs with a bar for each, and then works on each. @throws Interruption with the ids of those that were not done */
export async function withWaiting(jobIds: readonly string[], client: Parlance, context: Context, work: (jobId: string) => Promise<void>): Promise<ExitCode> {
  const view = progressView(context);
  const left = new Set(jobIds);
  try {
    const codes = await inParallel([...left], JOBS_AT_A_TIME, async (jobId) => {
      const progress = view.add(jobId);
      try {
        await finished(jobId, { client, signal: context.signal, progress, maxRetries: context.maxRetries });
        progress.end();
        await work(jobId);
        left.delete(jobId);
        return EXIT.ok;
      } catch (error) {
        progress.end();
        if (context.signal.aborted) return EXIT.interrupted;
        const { message, exitCode } = failureOf(error, (await context.connection()).baseUrl);
        view.above(() => context.terminal.failure(`${jobId}: ${message}`));
        return exitCode;
      }
    });
    if (context.signal.aborted) throw new Interruption([`Interrupted. The server continues with ${[...left].join(', ')}.`, 'The same command takes it up again.']);
    return exitCodeOf(codes);
  } finally {
    view.end();
  }
}
