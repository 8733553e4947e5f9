import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENTS, type NewEvent } from '@parlance/contracts';
import { openEventBus, stampEvent, type EventBus } from '@parlance/event-bus';
import { eventually } from '@parlance/event-bus/contract';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { logErasures } from './log-erasures.js';

describe('a job.deleted', () => {
  let folder: string;
  let bus: EventBus;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-log-erasures-'));
    bus = await openEventBus(`sqlite:${join(folder, 'events.db')}`, { clock: systemClock, log: silentLogger() });
  });
  afterEach(async () => {
    await bus.close();
    await rm(folder, { recursive: true });
  });

  const stamps = { clock: systemClock, ids: ulidGenerator(), source: 'test' };
  const event = (type: 'job.created' | 'job.deleted', jobId: string) =>
    stampEvent({ type, data: EVENTS[type].codec.fromJSON({ jobId }) } as NewEvent, stamps);

  it('takes the dead letters of its job along, and leaves those of others', async () => {
    const fail = () => Promise.reject(new Error('ill'));
    await bus.subscribe({ group: 'ailing', topic: 'parlance.jobs.v1', retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 }, handlers: { 'job.created': fail } });
    await bus.publish([event('job.created', 'job_1'), event('job.created', 'job_2')]);
    await eventually(async () => (await bus.deadLetters.list()).length === 2);
    await bus.subscribe(logErasures(bus, { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 }));
    await bus.publish([event('job.deleted', 'job_1')]);
    await eventually(async () => (await bus.deadLetters.list()).length === 1);
    expect((await bus.deadLetters.list())[0]?.event.key).toBe('job_2');
  });
});
