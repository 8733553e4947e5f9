import { describe, expect, it } from '@jest/globals';
import { RefusedRequest, type ApiClient, type Job } from './api-client.js';
import { isUsageError, parseCommandLine } from './command-line.js';
import { follow } from './transcribe-recordings.js';

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('following a job', () => {
  const apiWhose = (events: ApiClient['events'], statuses: Job['status'][]) => ({
    events,
    job: async (jobId: string): Promise<Job> => ({ job_id: jobId, status: statuses.shift() ?? 'completed' }),
  });

  it('goes on when the stream breaks off', async () => {
    let opened = 0;
    const api = apiWhose(async function* () {
      opened++;
      yield { event: 'progress', data: '{"percent":10}' };
      if (opened < 3) throw new TypeError('terminated');
    }, ['queued', 'processing']);
    const heard: number[] = [];
    expect(await follow(api, 'job_1', (percent) => heard.push(percent), 0)).toMatchObject({ status: 'completed' });
    expect(heard).toEqual([10, 10, 10]);
  });

  it('gives up when nothing comes, and at once when it is refused', async () => {
    let opened = 0;
    const never = (error: Error): ApiClient['events'] => async function* () {
      opened++;
      yield* await Promise.reject<[]>(error);
    };
    const processing = () => Array.from({ length: 20 }, () => 'processing' as const);
    await expect(follow(apiWhose(never(new TypeError('fetch failed')), processing()), 'job_1', () => {}, 0)).rejects.toThrow('fetch failed');
    expect(opened).toBe(5);
    await expect(follow(apiWhose(never(new RefusedRequest('Not found', 404, 'not_found')), processing()), 'job_1', () => {}, 0)).rejects.toThrow('Not found');
    expect(opened).toBe(6);
  });
});

it('a usage error is one of the command line, not any TypeError', () => {
  expect(isUsageError(thrownBy(() => parseCommandLine(['--nonsense'])))).toBe(true);
  expect(isUsageError(new TypeError('x is not a function'))).toBe(false);
});
