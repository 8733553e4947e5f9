import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import { BusFixture } from '../contract/bus-fixture.js';
import type { EventLog, LoggedEvent } from './event-log.js';
import { toEventRow } from './event-row.js';
import { LogFollower } from './log-follower.js';
import { SharedReads } from './shared-reads.js';

const fixture = new BusFixture(() => Promise.reject(new Error('there is no bus here')));

/** A file that cannot be read so many times. */
class FailingLog implements Pick<EventLog, 'read' | 'end' | 'dataVersion'> {
  reads = 0;
  readonly events: LoggedEvent[] = [];

  constructor(private readonly failures: number) {}

  end(): number {
    return 0;
  }

  dataVersion(): number {
    return 1;
  }

  read(_topic: string, after: number): LoggedEvent[] {
    this.reads += 1;
    if (this.reads <= this.failures) throw new Error('disk I/O error');
    return this.events.filter(({ position }) => position > after);
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('LogFollower', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  const following = (failures: number) => {
    // The time between two tries passes only when a test says so.
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const log = new FailingLog(failures);
    const event = fixture.event('job_1');
    log.events.push({ ...toEventRow(event), position: 1 });
    const seen: string[] = [];
    const follower = new LogFollower(
      { topic: 'parlance.jobs.v1', handlers: { 'job.progressed': ({ id }) => void seen.push(id) } },
      log as unknown as EventLog,
      new SharedReads(log),
      silentLogger(),
      () => 0,
    );
    return { log, event, seen, follower };
  };

  it('goes on after a while when the file could not be read, without being told again', async () => {
    const { log, event, seen, follower } = following(2);
    follower.wake();
    await turn();
    for (let retry = 0; retry < 2; retry += 1) {
      jest.runOnlyPendingTimers();
      await turn();
    }
    expect([seen, log.reads]).toEqual([[event.id], 3]);
    follower.close();
  });

  it('does not try more often because there is more to read', async () => {
    const { log, follower } = following(Infinity);
    for (let told = 0; told < 20; told += 1) {
      follower.wake();
      await turn();
    }
    expect(log.reads).toBe(1);
    follower.close();
  });
});
