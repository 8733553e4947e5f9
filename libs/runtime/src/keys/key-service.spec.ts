import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keys } from '@parlance/contracts';
import { createMetrics, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { DocumentKeyRecords, MEDIA_KEYS_OWNER, openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { CallMetrics } from '../metrics/call-metrics.js';
import { LocalService } from '../services/local-port.js';
import { ServedService } from '../services/served-service.js';
import { keyService, ServedKeyRecords } from './key-service.js';

describe('wrapped keys of another service', () => {
  let folder: string;
  let database: DocumentDatabase;
  let served: ServedKeyRecords;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-key-service-'));
    database = await openDocumentDatabase(`sqlite:${join(folder, 'keys.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'keys' });
    const local = new LocalService();
    local.serve(new ServedService(keyService(new DocumentKeyRecords(database, systemClock)), { service: 'ingest', metrics: new CallMetrics(createMetrics()), log: silentLogger() }));
    served = new ServedKeyRecords(local.port(keys.KeyServiceDefinition));
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  it('are those that ingest has: found, made once and destroyed for good', async () => {
    const first = { id: 'acc_1/job_1', keyId: 'k1', wrapped: 'w1' };
    expect(await served.add(first)).toEqual(first);
    expect(await served.add({ ...first, keyId: 'k2', wrapped: 'w2' })).toEqual(first);
    await served.destroy('acc_1/job_2');
    expect(await served.find(['acc_1/job_1', 'acc_1/job_2', 'acc_1/job_3'])).toEqual(new Map<string, unknown>([['acc_1/job_1', first], ['acc_1/job_2', 'destroyed']]));
    expect(await served.add({ ...first, id: 'acc_1/job_2' })).toBe('destroyed');
  });

  it('are never those that open recordings which clients encrypted', async () => {
    const records = new DocumentKeyRecords(database, systemClock);
    const key = { id: `${MEDIA_KEYS_OWNER}/mk_1`, keyId: 'k1', wrapped: 'w1' };
    await records.add({ ...key, id: MEDIA_KEYS_OWNER });
    await records.add(key);
    expect(await served.find([MEDIA_KEYS_OWNER, key.id])).toEqual(new Map());
    await expect(served.add({ ...key, id: `${MEDIA_KEYS_OWNER}/mk_2` })).rejects.toThrow(expect.objectContaining({ code: 'invalid_id' }));
    await expect(served.destroy(key.id)).rejects.toThrow(expect.objectContaining({ code: 'invalid_id' }));
    expect([...(await records.find([key.id])).keys()]).toEqual([key.id]);
  });
});
