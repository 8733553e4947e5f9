import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import type { PagesQuery } from '@parlance/storage';
import { queuedJob } from '../state/job.fixture.js';
import type { Job } from '../state/job.js';
import { MediaKeyUpkeep } from './media-key-upkeep.js';

const ENDED_AT = new Date('2026-11-20T00:00:00.000Z');
const BEFORE = '2026-11-19T00:00:00.000Z';
const AFTER = '2026-11-21T00:00:00.000Z';

type JobList = (query: PagesQuery) => AsyncIterable<Job>;

/** As the store finds them. */
const listOf = (jobs: Job[]): JobList =>
  async function* ({ where, range }: PagesQuery) {
    const isWithin = (value: unknown) => typeof value === 'string' && value >= (range?.gte ?? '');
    const matching = jobs.filter((job) => Object.entries(where ?? {}).every(([name, value]) => job[name as keyof Job] === value));
    yield* range ? matching.filter((job) => isWithin(job[range.field as keyof Job])) : matching;
  };

/** @returns ids of the keys that a round destroys while there are these jobs */
async function destroyed(all: JobList): Promise<string[]> {
  const ids: string[] = [];
  const ring = {
    isAvailable: true,
    isRotationDue: async () => false,
    rotate: () => Promise.reject(new Error('no rotation is due')),
    ended: async () => [{ pair: { id: 'mk_1', number: 1, recipient: 'age1', createdAt: BEFORE }, endedAt: ENDED_AT }],
    destroy: async ({ id }: { id: string }) => void ids.push(id),
  };
  await new MediaKeyUpkeep({ ring: ring as never }, { all: all as never }, silentLogger()).run(new AbortController().signal);
  return ids;
}

describe('the private key of an ended media key', () => {
  const open = (createdAt: string): Job => ({ ...queuedJob(), createdAt, open: true });
  const failed = (createdAt: string): Job => ({ ...queuedJob(), createdAt, open: false, status: 'failed', mediaExpiresAt: '2026-12-01T00:00:00.000Z' });

  it('is destroyed once no job needs it', async () => {
    expect(await destroyed(listOf([]))).toEqual(['mk_1']);
    expect(await destroyed(listOf([open(AFTER), failed(AFTER)]))).toEqual(['mk_1']);
  });

  it('is kept for a job from before that is still open, or that can be retried', async () => {
    expect([await destroyed(listOf([open(BEFORE)])), await destroyed(listOf([failed(BEFORE)]))]).toEqual([[], []]);
  });

  it('is kept for a job whose recording is there beyond its time, as under a legal hold', async () => {
    expect(await destroyed(listOf([{ ...failed(BEFORE), mediaExpiresAt: BEFORE }]))).toEqual([]);
    const { mediaExpiresAt: _removed, ...withoutRecording } = failed(BEFORE);
    expect(await destroyed(listOf([withoutRecording]))).toEqual(['mk_1']);
  });

  it('is kept for a job that is retried, or fails, between two looks at the jobs', async () => {
    for (const states of [[failed, open, open], [open, failed, failed]]) {
      const looks = states.map((state) => listOf([state(BEFORE)]));
      expect(await destroyed((query) => (looks.shift() ?? listOf([]))(query))).toEqual([]);
    }
  });
});
