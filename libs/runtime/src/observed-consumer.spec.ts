import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '@parlance/contracts';
import { openEventBus, stampEvent, type Consumer, type Delivery } from '@parlance/event-bus';
import { AppError, createMetrics, currentTraceparent, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { EventMetrics } from './metrics/event-metrics.js';
import { observedConsumer } from './observed-consumer.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const data = EVENTS['job.created'].codec.fromJSON({ jobId: 'job_1' });
const stamps = { clock: systemClock, ids: ulidGenerator(), source: 'ingest', traceparent: `00-${TRACE}-b7ad6b7169203331-01` };
const never = new AbortController().signal;
const delivery = { event: stampEvent({ type: 'job.created', data }, stamps), attempt: 1, maxAttempts: 2, signal: never, draining: never } as Delivery<'job.created'>;

const observed = (handler: () => Promise<void>) => {
  const metrics = createMetrics();
  const consumer: Consumer = { group: 'ingest', topic: 'parlance.jobs.v1', handlers: { 'job.created': handler } };
  return { metrics, consumer: observedConsumer('ingest', consumer, new EventMetrics(metrics, systemClock)) };
};

describe('a consumer of a service', () => {
  it('goes on with the trace of the event, in a span of its own', async () => {
    let running: string | undefined;
    const { consumer } = observed(async () => void (running = currentTraceparent()));
    await consumer.handlers['job.created']?.(delivery);
    expect(running).toMatch(new RegExp(`^00-${TRACE}-(?!b7ad6b7169203331)`));
  });

  it('counts what is done, what fails, is tried again and becomes a dead letter', async () => {
    const error = new AppError({ kind: 'internal', code: 'internal', message: 'no' });
    const { consumer, metrics } = observed(() => Promise.reject(error));
    await expect(consumer.handlers['job.created']?.(delivery)).rejects.toBe(error);
    await expect(consumer.handlers['job.created']?.({ ...delivery, attempt: 2 })).rejects.toBe(error);
    await consumer.giveUp?.(delivery.event, error);
    consumer.deadLettered?.();
    const told = await metrics.metrics();
    expect(told).toMatch(/parlance_event_handling_seconds_count\{[^}]*outcome="failed"[^}]*\} 2\b/);
    expect(told).toContain('parlance_event_retries_total{group="ingest",type="job.created"} 1');
    expect(told).toContain('parlance_dead_letters_total{group="ingest",topic="parlance.jobs.v1"} 1');
    expect(told).toContain('parlance_events_in_progress{group="ingest",topic="parlance.jobs.v1"} 0');
  });

  it('counts what its handler gives back when the process is to end as interrupted', async () => {
    const stop = AbortSignal.abort(new AppError({ kind: 'canceled', code: 'subscription_closed', message: 'The subscription closes.' }));
    const { consumer, metrics } = observed(() => Promise.reject(stop.reason as Error));
    await expect(consumer.handlers['job.created']?.({ ...delivery, draining: stop })).rejects.toBe(stop.reason);
    expect(await metrics.metrics()).toMatch(/parlance_event_handling_seconds_count\{[^}]*outcome="interrupted"[^}]*\} 1\b/);
  });

  it('is done with an event of a job whose key was destroyed', async () => {
    const { consumer, metrics } = observed(() => Promise.reject(new AppError({ code: 'key_destroyed', message: 'The data was erased.' })));
    await consumer.handlers['job.created']?.(delivery);
    expect(await metrics.metrics()).toMatch(/parlance_event_handling_seconds_count\{[^}]*outcome="done"[^}]*\} 1\b/);
  });

  it('does not count the wait for its turn as work', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-observed-'));
    const bus = await openEventBus(`sqlite:${join(folder, 'events.db')}`, { clock: systemClock, log: silentLogger() });
    const metrics = createMetrics();
    const [first, second] = [Promise.withResolvers<() => void>(), Promise.withResolvers<() => void>()];
    const begun = [first, second];
    const handlers = { 'job.created': () => new Promise<void>((resolve) => begun.shift()?.resolve(resolve)) };
    const consumer: Consumer = { group: 'ingest', topic: 'parlance.jobs.v1', handlers, turns: { places: 1, deadlineMs: 60_000 } };
    await bus.subscribe(observedConsumer('ingest', consumer, new EventMetrics(metrics, systemClock)));
    const created = (jobId: string) => stampEvent({ type: 'job.created', data: EVENTS['job.created'].codec.fromJSON({ jobId, accountId: 'acc_1' }) }, stamps);
    await bus.publish([created('job_1'), created('job_2')]);
    const endFirst = await first.promise;
    const waiting = await metrics.metrics();
    expect(waiting).toContain('parlance_events_in_progress{group="ingest",topic="parlance.jobs.v1"} 1');
    expect(waiting).toContain('parlance_event_age_seconds_count{group="ingest",topic="parlance.jobs.v1"} 1');
    endFirst();
    const endSecond = await second.promise;
    endSecond();
    await bus.close();
    await rm(folder, { recursive: true, force: true });
  });
});
