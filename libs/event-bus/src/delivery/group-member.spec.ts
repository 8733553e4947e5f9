import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
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
