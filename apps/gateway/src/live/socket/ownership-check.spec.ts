import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { OwnershipCheck } from './ownership-check.js';

function setUp(committedAgoMs = 6000) {
  const commits: PromiseWithResolvers<void>[] = [];
  const lost: unknown[] = [];
  const renew = () => {
    const commit = Promise.withResolvers<void>();
    commits.push(commit);
    return commit.promise;
  };
  return { commits, lost, check: new OwnershipCheck({ renew, committedAgoMs }, async (error) => void lost.push(error)) };
}

describe('the check of a quiet connection', () => {
  it('commits one at a time while the store stalls', async () => {
    const { commits, check } = setUp();
    for (let second = 0; second < 10; second += 1) void check.run();
    expect(commits).toHaveLength(1);
    commits[0]?.resolve();
    await nextTurn();
    void check.run();
    expect(commits).toHaveLength(2);
  });

  it('commits neither after a recent commit nor while the session ends', () => {
    const recent = setUp(1000);
    void recent.check.run();
    const { commits, check } = setUp();
    check.stop();
    void check.run();
    expect([recent.commits.length, commits.length]).toEqual([0, 0]);
  });

  it('says that the session is lost', async () => {
    const { commits, lost, check } = setUp();
    const checked = check.run();
    commits[0]?.reject(new AppError({ code: 'live_taken_over', message: 'Taken.' }));
    await checked;
    expect(lost).toMatchObject([{ code: 'live_taken_over' }]);
  });
});
