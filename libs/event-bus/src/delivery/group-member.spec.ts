import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '@parlance/contracts';
import { AppError, silentLogger, systemClock, ulidGenerator, type Tries } from '@parlance/platform';
import { stampEvent } from '../event-json.js';
import { GroupMember } from './group-member.js';

describe('a member whose work waits for its turn', () => {
  it('tries again to tell of a failure when that hangs, within the time of the work and not that of waiting', async () => {
    const data = EVENTS['job.created'].codec.fromJSON({ jobId: 'job_1', accountId: 'acc_1' });
    const event = stampEvent({ type: 'job.created', data }, { clock: systemClock, ids: ulidGenerator(), source: 'ingest' });
    let told = 0;
    const giveUp = () => ((told += 1) === 1 ? new Promise<void>(() => undefined) : Promise.resolve());
    const member = new GroupMember({ group: 'test', topic: 'parlance.jobs.v1', handlers: {}, turns: { places: 1, deadlineMs: 5 }, giveUp }, { graceMs: 5 }, silentLogger());
    await expect(member.giveUp(() => event, new Error('no'))).resolves.toBe('dead letter');
    expect(told).toBe(2);
  });
});

describe('failed tries of an event', () => {
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
  const defect = new Error('a defect');
  const retry = { maxAttempts: 3, initialDelayMs: 100, maxDelayMs: 1000 };
  const member = new GroupMember({ group: 'test', topic: 'parlance.jobs.v1', handlers: {}, retry }, {}, silentLogger());
  const failures = (tries: Tries, error: unknown, count: number) => Array.from({ length: count }, () => member.failed(tries, error, 0.999_999));

  it('are as many as the policy says, with doubled pauses', () => {
    const tries = { attempt: 1 };
    expect(failures(tries, defect, 3).map((delay) => delay && Math.round(delay))).toEqual([100, 200, undefined]);
    expect(tries.attempt).toBe(3);
  });

  it('do not count in an outage, and what fails for another reason afterwards still has all its own', () => {
    const tries = { attempt: 1 };
    expect(failures(tries, full, 100)).not.toContain(undefined);
    expect(failures(tries, defect, 3).map((delay) => delay !== undefined)).toEqual([true, true, false]);
  });

  it('come every half minute in a long outage, for a day', () => {
    const tries: Tries = { attempt: 1 };
    let delay: number | undefined = 0;
    let longest = 0;
    while ((delay = member.failed(tries, full, 0.999_999)) !== undefined) longest = Math.max(longest, delay);
    expect(Math.round(longest)).toBe(30_000);
    expect(tries.waitedMs).toBeGreaterThan(24 * 60 * 60_000 - 31_000);
    expect(tries.waitedMs).toBeLessThanOrEqual(24 * 60 * 60_000);
  });

  it('are counted as any others when what does not fit is larger than the disk', () => {
    const tooLarge = new AppError({ kind: 'unavailable', code: 'storage_full', message: 'Larger than the disk.', retryable: false });
    expect(failures({ attempt: 1 }, tooLarge, 3)).toContain(undefined);
  });
});
