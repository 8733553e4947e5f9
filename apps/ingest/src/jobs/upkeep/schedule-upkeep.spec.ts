import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import type { Query } from '@parlance/storage';
import { queuedJob } from '../state/job.fixture.js';
import { ScheduleUpkeep } from './schedule-upkeep.js';

const ACCOUNTS = 5000;
const never = new AbortController().signal;

function upkeepOf(filled: string[]): ScheduleUpkeep {
  const queued = Array.from({ length: ACCOUNTS }, (_, nth) => ({ ...queuedJob(), id: `job_${nth}`, accountId: `acc_${nth}` }));
  const jobs = {
    async find({ limit = 0, cursor = '0' }: Query) {
      const end = Number(cursor) + limit;
      return { jobs: queued.slice(Number(cursor), end), nextCursor: end < ACCOUNTS ? String(end) : null };
    },
    apply: async () => undefined,
  };
  const scheduler = { async *busy() {}, reconcile: async () => {}, takeOver: async () => {}, fill: async (accountId: string) => void filled.push(accountId) };
  return new ScheduleUpkeep(jobs, scheduler, silentLogger());
}

describe('the look at queued jobs', () => {
  it('reads at most 2000 in a round, continues there in the next, and begins again at the end', async () => {
    const filled: string[] = [];
    const upkeep = upkeepOf(filled);
    const rounds: [string | undefined, number][] = [];
    for (let round = 0; round < 4; round += 1) {
      await upkeep.run(never);
      rounds.push([filled[0], filled.length]);
      filled.length = 0;
    }
    expect(rounds).toEqual([['acc_0', 2000], ['acc_2000', 2000], ['acc_4000', 1000], ['acc_0', 2000]]);
  });

  it('reads all of them after an unclean stop, since the event of any of them may be lost', async () => {
    const filled: string[] = [];
    await upkeepOf(filled).runWhole(never);
    expect(filled).toHaveLength(ACCOUNTS);
  });
});
