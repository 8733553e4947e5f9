import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, createLogger, silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { ActiveLimit } from './active-limit.js';
import { emptySchedule, scheduleCollection } from './schedule.js';

describe('the limit of active jobs of an account', () => {
  let folder: string;
  let documents: DocumentDatabase;
  let now = 0;
  let chunks = 0;
  let isAway = false;
  const clock = { now: () => new Date(now) };
  const getCapacity = async () => {
    if (isAway) throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'Transcription is away.' });
    return { chunks };
  };
  const limitWith = (setting?: number, log = silentLogger()) => new ActiveLimit({ getCapacity }, documents, { JOBS_ACTIVE_PER_ACCOUNT: setting }, clock, log);
  const busy = (accountId: string) => documents.collection(scheduleCollection).insert({ ...emptySchedule(accountId, '2026-01-01T00:00:00.000Z'), busy: true });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-active-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'a.db')}`, { ids: ulidGenerator(), clock, source: 'ingest' });
    isAway = false;
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  it('is enough for every transcription worker while it is alone, and half of that beside another account', async () => {
    chunks = 100;
    const limit = limitWith();
    expect(await limit.jobs()).toBe(200);
    await busy('acc_1');
    await busy('acc_2');
    now += 5000;
    expect(await limit.jobs()).toBe(100);
  });

  it('is never below sixteen, also while transcription is away', async () => {
    chunks = 2;
    expect(await limitWith().jobs()).toBe(16);
    isAway = true;
    expect(await limitWith().jobs()).toBe(16);
  });

  it('stays as it is while transcription does not answer, and a line says so', async () => {
    chunks = 100;
    const lines: string[] = [];
    const limit = limitWith(undefined, createLogger({ level: 'warn', destination: { write: (line) => void lines.push(line) } }));
    expect(await limit.jobs()).toBe(200);
    expect(lines).toEqual([]);
    isAway = true;
    now += 5000;
    expect(await limit.jobs()).toBe(200);
    expect(lines).toEqual([expect.stringContaining('could not read the capacity of transcription')]);
  });

  it('is never above a thousand, whatever transcription says', async () => {
    chunks = 100_000;
    expect(await limitWith().jobs()).toBe(1000);
  });

  it('is the setting where there is one', async () => {
    chunks = 100;
    expect(await limitWith(3).jobs()).toBe(3);
  });
});
