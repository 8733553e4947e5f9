import { expect, it } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openEventBus, stampEvent } from '../index.js';

it('smoke', async () => {
  const ids = ulidGenerator();
  const bus = await openEventBus(`sqlite:${mkdtempSync('/tmp/h2-')}/x/events.db`, { clock: systemClock, log: silentLogger() });
  const event = (jobId: string) => stampEvent({ type: 'job.created', data: EVENTS['job.created'].codec.fromJSON({ jobId, occurredAt: '2026-01-01T00:00:00.000Z' }) }, { clock: systemClock, ids, source: 't' });
  await bus.publish([event('a'), event('b'), event('a')]);
  const seen: unknown[] = [];
  await new Promise<void>((resolve) => void bus.subscribe({ group: 'g', topic: 'parlance.jobs.v1', retry: {maxAttempts: 2, initialDelayMs: 1, maxDelayMs: 1}, handlers: { 'job.created': async ({ event, attempt }) => {
    seen.push([event.data.jobId, attempt, event.data.occurredAt]);
    if (seen.length === 4) resolve();
    if (event.key === 'b') throw new Error('no');
    if (seen.length === 4) resolve();
  } } }));
  await bus.close();
  console.log(seen);
  expect(1).toBe(1);
});
