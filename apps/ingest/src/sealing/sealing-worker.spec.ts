import { describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { AppError, silentLogger } from '@parlance/platform';
import { after, mediaReady, play, queuedJob, transcribed } from '../jobs/state/job.fixture.js';
import type { JobInput } from '../jobs/state/job-input.js';
import { advance } from '../jobs/state/job-state-machine.js';
import type { Job } from '../jobs/state/job.js';
import { SealingWorker } from './sealing-worker.js';

const OPTIONS = common.JobOptions.fromPartial({ diarization: { enabled: false }, summary: { enabled: false }, highlights: false, resultKey: '{}' });

/** A job whose results are sealed, with what happens while they are. @returns whether its result is stored afterwards */
async function sealedWhile(meanwhile: (job: Job) => Job | undefined): Promise<boolean> {
  let job: Job | undefined = play(queuedJob(OPTIONS), [{ type: 'started', run: 1 }, mediaReady(), transcribed()]).job;
  let isStored = false;
  const apply = async (_id: string, input: JobInput) => (job = job && (advance(job, input, after(1000))?.job ?? job));
  const make = async () => {
    isStored = true;
    job = job && meanwhile(job);
  };
  const removeWithResult = async () => {
    isStored = false;
    return 1;
  };
  const { perform } = new SealingWorker({ get: async () => job, apply }, { make }, { removeWithResult }, null, silentLogger()).worker();
  const { signal } = new AbortController();
  await perform({ payload: { jobId: 'job_1', accountId: 'acc_1', run: 1 } } as Parameters<typeof perform>[0], { signal } as Parameters<typeof perform>[1]);
  return isStored;
}

describe('the sealing of a job', () => {
  it('stores its result', async () => {
    expect(await sealedWhile((job) => job)).toBe(true);
  });

  it('leaves no result when the job is deleted or canceled meanwhile', async () => {
    expect(await sealedWhile(() => undefined)).toBe(false);
    expect(await sealedWhile((job) => advance(job, { type: 'cancel' }, after(900))?.job)).toBe(false);
  });

  it('fails the job when the key of its content was destroyed, and tries again when the keys are away', async () => {
    let job = play(queuedJob(OPTIONS), [{ type: 'started', run: 1 }, mediaReady(), transcribed()]).job;
    const jobs = { get: async () => job, apply: async (_id: string, input: JobInput) => (job = advance(job, input, after(1000))?.job ?? job) };
    const workerWith = (error: AppError) => new SealingWorker(jobs, { make: async () => {} }, { removeWithResult: async () => 0 }, { find: () => Promise.reject(error) }, silentLogger()).worker();
    const task = { payload: { jobId: 'job_1', accountId: 'acc_1', run: 1 } } as Parameters<ReturnType<typeof workerWith>['perform']>[0];
    const outcome = async (error: AppError) => {
      const worker = workerWith(error);
      const thrown: unknown = await worker.perform(task, { signal: new AbortController().signal } as Parameters<typeof worker.perform>[1]).catch((failure: unknown) => failure);
      await worker.giveUp?.(task, thrown);
      return [worker.isFinal?.(thrown), job.status, job.error?.code];
    };
    expect(await outcome(new AppError({ kind: 'unavailable', code: 'keys_unavailable', message: 'Away.' }))).toEqual([false, 'processing', undefined]);
    expect(await outcome(new AppError({ code: 'key_destroyed', message: 'The data was erased.' }))).toEqual([true, 'failed', 'content_erased']);
  });

  it('keeps the result that another process was faster to seal', async () => {
    expect(await sealedWhile((job) => advance(job, { type: 'result_sealed', run: 1 }, after(900))?.job)).toBe(true);
  });
});
