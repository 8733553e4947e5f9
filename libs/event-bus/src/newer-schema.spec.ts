import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { EVENTS, type EventType } from '@parlance/contracts';
import { silentLogger, systemClock } from '@parlance/platform';
import { eventually } from './contract/index.js';
import { SqliteEventBus } from './embedded/sqlite-event-bus.js';
import { eventFromJson, type EventJson } from './event-json.js';

const types = Object.keys(EVENTS) as EventType[];
const envelope = { id: 'evt_1', source: 'ingest', time: '2026-03-04T05:06:07.089Z', key: 'job_1' };
const NEWER = { jobId: 'job_1', accountId: 'acc_1', endpointId: 'whe_1', batchId: 'bat_1', status: 'JOB_STATUS_PAUSED', stage: 'STAGE_TRANSLATION', inventedLater: { deep: [1] } };

describe('an event of a newer schema', () => {
  it.each(types)('of type %s is read: fields that are not known are left out, values of enums are said to be unknown', (type) => {
    const { data } = eventFromJson({ ...envelope, type, data: NEWER });
    expect(data).not.toHaveProperty('inventedLater');
    const enums = Object.entries(data).filter(([name]) => name === 'status' || name === 'stage');
    expect(enums.map(([, value]) => value as unknown)).toEqual(enums.map(() => 'UNRECOGNIZED'));
    expect(EVENTS[type].key(data as never)).toMatch(/^(job|acc|whe|bat)_1/);
  });

  it.each(types)('of type %s may leave out every field', (type) => {
    expect(() => eventFromJson({ ...envelope, type, data: {} })).not.toThrow();
  });

  it('stops nobody who reads the embedded log: it is handled, and one of an unknown type passed over', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-newer-'));
    const bus = await SqliteEventBus.open(join(folder, 'events.db'), { clock: systemClock, log: silentLogger(), graceMs: 50 });
    try {
      writeAsNewerVersion(join(folder, 'events.db'), [
        { ...envelope, id: 'evt_type', type: 'job.reinvented', data: { nobody: 'knows' } },
        { ...envelope, id: 'evt_fields', type: 'job.progressed', data: NEWER },
        { ...envelope, id: 'evt_last', type: 'job.progressed', data: { jobId: 'job_1' } },
      ]);
      const handled: string[] = [];
      const see = async ({ event }: { event: { id: string } }) => void handled.push(event.id);
      await bus.subscribe({ group: 'team', topic: 'parlance.jobs.v1', handlers: { 'job.progressed': see } });
      await eventually(() => handled.length === 2);
      expect(handled).toEqual(['evt_fields', 'evt_last']);
      expect(await bus.deadLetters.list()).toEqual([]);
    } finally {
      await bus.close();
      await rm(folder, { recursive: true });
    }
  });
});

/** As a process of a version to come would, whose catalogue knows more. */
function writeAsNewerVersion(path: string, events: readonly EventJson[]): void {
  const database = new DatabaseSync(path);
  const insert = database.prepare('INSERT INTO events (topic, published_at, event_id, type, source, time, key, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  for (const { id, type, source, time, key, data } of events) insert.run('parlance.jobs.v1', Date.now(), id, type, source, time, key, JSON.stringify(data));
  database.close();
}
