import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { ApiClient, RefusedRequest, type Job } from './api-client.js';
import { isUsageError, parseCommandLine } from './command-line.js';
import { follow, transcribeRecordings } from './transcribe-recordings.js';

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

  it('leaves the end to whoever asked: nothing is processing at 100 %', async () => {
    const api = apiWhose(async function* () {
      yield { event: 'progress', data: '{"percent":99,"stage":"search"}' };
      yield { event: 'progress', data: '{"percent":100}' };
      yield { event: 'completed', data: '{}' };
    }, ['completed']);
    const heard: [number, string][] = [];
    await follow(api, 'job_1', (...progress) => heard.push(progress), 0);
    expect(heard).toEqual([[99, 'search']]);
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
    await expect(follow(apiWhose(never(new RefusedRequest('Not found', 404, 'not_found', 'req_1')), processing()), 'job_1', () => {}, 0)).rejects.toThrow('Not found');
    expect(opened).toBe(6);
  });
});

describe('several recordings of one name', () => {
  it('have a bar each', async () => {
    const added: string[] = [];
    const view = { add: (name: string) => (added.push(name), () => {}), end: () => {} };
    const api = { submitUrl: async () => 'job_1', async *events() {}, job: async () => ({ job_id: 'job_1', status: 'failed' as const }) };
    const source = 'https://host/talk.mp3';
    const recordings = [`${source}?day=1`, `${source}?day=2`].map((address) => ({ source: address, reuse: false }));
    await transcribeRecordings(api as unknown as ApiClient, recordings, view);
    expect(new Set(added).size).toBe(2);
  });
});

describe('a file that goes away while it is sent', () => {
  it('fails the upload, and not the process', async () => {
    const server = createServer((request) => request.resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const api = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key');
    await expect(api.submitFile('/nowhere/talk.mp3', 'key')).rejects.toMatchObject({ cause: { code: 'ENOENT' } });
    server.closeAllConnections();
    server.close();
  });
});

it('a usage error is one of the command line, not any TypeError', () => {
  expect(isUsageError(thrownBy(() => parseCommandLine(['--nonsense'])))).toBe(true);
  expect(isUsageError(new TypeError('x is not a function'))).toBe(false);
});
