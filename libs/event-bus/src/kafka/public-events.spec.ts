import { describe, expect, it } from '@jest/globals';
import { EVENTS, PUBLIC_EVENT_TYPES, PUBLIC_EVENTS, type MessageCodec } from '@parlance/contracts';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { faultsOf, readWithSdk, textHeaders } from '../../test/published-description.js';
import type { NewEvent } from '../event-bus.js';
import { stampEvent } from '../event-json.js';
import { toRecord, type IncomingRecord } from './cloud-event-record.js';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe.each(PUBLIC_EVENT_TYPES)('a record of %s', (type) => {
  const { source, example } = PUBLIC_EVENTS[type];
  const event = stampEvent({ type, data: example } as NewEvent, { clock: systemClock, ids: ulidGenerator(), source });
  const sent = toRecord({ ...event, traceparent: TRACE });
  const bytes = Object.fromEntries(Object.entries(sent.headers).map(([name, text]) => [name, Buffer.from(text)]));
  const record: IncomingRecord = { key: Buffer.from(sent.key), value: Buffer.from(String(sent.value)), headers: bytes, timestamp: '1750000000000' };

  it('is as the published description says', () => {
    expect(faultsOf(type, 'headers', textHeaders(record))).toEqual([]);
    expect(faultsOf(type, 'payload', JSON.parse(String(record.value)))).toEqual([]);
  });

  it('is read by the SDK of CloudEvents', () => {
    const read = readWithSdk(record);
    expect(read.validate()).toBe(true);
    expect(read).toMatchObject({ id: event.id, type, source, time: event.time, partitionkey: event.key });
    expect((EVENTS[type].codec as MessageCodec<unknown>).fromJSON(read.data)).toEqual(example);
  });

  it('would be refused with data of another schema', () => {
    expect(faultsOf(type, 'payload', { jobId: ['job_1'], batchId: ['bat_1'] })).not.toEqual([]);
    expect(faultsOf(type, 'headers', { ...textHeaders(record), ce_specversion: '0.3' })).not.toEqual([]);
  });
});
