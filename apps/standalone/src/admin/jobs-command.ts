import type { DeadLetter, DeadLetters } from '@parlance/event-bus';
import type { Job, StuckJobs } from '@parlance/ingest/operators';
import { systemClock } from '@parlance/platform';
import { Command } from 'commander';
import { json as jsonOf, type AdminTools } from './admin-tools.js';
import { jsonOption, positiveInteger, timeoutOption, type ServerOptions } from './options.js';
import { stuckJob, stuckJson, stuckTable, type StuckJob } from './stuck-job-views.js';

type StuckOptions = ServerOptions & { minutes: number; limit: number; retry?: string; fail?: string };

const MAX_LETTERS = 10_000;

/** Lists stuck jobs with their stage, time and reason, and retries or fails one. */
export function jobsCommand(tools: AdminTools): Command {
  const { print } = tools;
  const jobs = new Command('jobs').description('manage jobs');
  jobs
    .command('stuck')
    .description('list jobs without progress, the longest first, with stage and cause; or --retry or --fail one')
    .option('--minutes <number>', 'time without any change', positiveInteger, 30)
    .option('--limit <number>', 'maximum number of entries', positiveInteger, 100)
    .option('--retry <job>', 'fail its open work and start it again; completed work is kept')
    .option('--fail <job>', 'fail its open work: the job, or the add-on stages of a job that has its transcript')
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action((options: StuckOptions, command: Command) => {
      const { retry, fail } = options;
      if (retry !== undefined && fail !== undefined) command.error('error: give --retry or --fail, not both');
      if (retry !== undefined) return onJobs(tools, options, async (stuck) => printJob(await stuck.retry(retry), 'retried', options));
      if (fail !== undefined) return onJobs(tools, options, async (stuck) => printJob(await stuck.fail(fail), 'failed', options));
      return onJobs(tools, options, async (stuck) => {
        const found = await explained(tools, stuck, await stuck.list(options.minutes, options.limit));
        print(options.json ? jsonOf(found.map(stuckJson)) : stuckTable(found));
      });
    });

  const printJob = ({ id, status, run }: Job, done: string, { json }: ServerOptions) =>
    print(json ? jsonOf({ [done]: id, status, run }) : `${done} ${id}: it is ${status}`);
  return jobs;
}

async function onJobs({ say, withDocuments }: AdminTools, { timeout }: ServerOptions, work: (stuck: StuckJobs) => Promise<void>): Promise<void> {
  // Only this command waits for it to load.
  const { StuckJobs: Stuck } = await import('@parlance/ingest/operators');
  await withDocuments('ingest', { timeout, onWait: (reason) => say(`Waiting for MongoDB: ${reason}`) }, (documents) => work(new Stuck(documents, systemClock)));
}

async function explained({ withEventBus }: AdminTools, stuck: StuckJobs, jobs: readonly Job[]): Promise<StuckJob[]> {
  if (jobs.length === 0) return [];
  const { openStage } = await import('@parlance/ingest/operators');
  const byJob = await lettersByJob(withEventBus);
  return Promise.all(jobs.map(async (job) => stuckJob(job, openStage(job), byJob.get(job.id) ?? [], job.status === 'queued' ? await stuck.atWork(job.accountId) : 0)));
}

async function lettersByJob(withEventBus: AdminTools['withEventBus']): Promise<Map<string, DeadLetter[]>> {
  let letters: DeadLetter[] = [];
  await withEventBus(async ({ deadLetters }: { deadLetters: DeadLetters }) => void (letters = await deadLetters.list({ limit: MAX_LETTERS })));
  return Map.groupBy(letters, ({ event }) => (event.data as { jobId?: string }).jobId ?? event.key);
}
