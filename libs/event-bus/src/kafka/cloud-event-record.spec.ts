import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '@parlance/contracts';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { HTTP, Kafka as KafkaBinding, type CloudEvent, type KafkaMessage } from 'cloudevents';
import { stampEvent } from '../event-json.js';
import type { OutboxEvent } from '../event-bus.js';
import { attributesOf, decodeEvent, toRecord, type IncomingRecord } from './cloud-event-record.js';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const event = (): OutboxEvent => {
  const data = EVENTS['stage.finished'].codec.fromJSON({ jobId: 'job_1', stage: 'STAGE_SUMMARY', status: 'STAGE_STATUS_SKIPPED' });
  return { ...stampEvent({ type: 'stage.finished', data }, { clock: systemClock, ids: ulidGenerator(), source: 'summary' }), traceparent: TRACE };
};

/** The record as it comes back from a broker. */
const received = (sent: OutboxEvent, changes: Partial<IncomingRecord> = {}): IncomingRecord => {
  const { key, value, headers } = toRecord(sent);
  const bytes = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)]));
  return { key: Buffer.from(key), value: Buffer.from(value ?? ''), headers: bytes, timestamp: '1750000000000', ...changes };
};
const decoded = (record: IncomingRecord) => decodeEvent(attributesOf(record), record.value);

describe('an event as a Kafka record', () => {
  it('comes back as it went', () => {
    const sent = event();
    expect(decoded(received(sent))).toEqual(sent);
  });

  it('is a CloudEvent in binary mode to the SDK of others', () => {
    const sent = event();
    const { key, value, headers } = toRecord(sent);
    const message = { key, value, headers, body: value, timestamp: '0' } as unknown as KafkaMessage<string>;
    expect(KafkaBinding.isEvent(message)).toBe(true);
    const parsed = KafkaBinding.toEvent(message);
    if (Array.isArray(parsed)) throw new Error('it is one event');
    expect(parsed).toMatchObject({
      specversion: '1.0',
      id: sent.id,
      type: 'stage.finished',
      source: 'summary',
      time: sent.time,
      partitionkey: 'job_1',
      datacontenttype: 'application/json',
    });
    expect((parsed as CloudEvent<unknown>).validate()).toBe(true);
    const data: unknown = typeof parsed.data === 'string' ? JSON.parse(parsed.data) : parsed.data;
    expect(data).toMatchObject({ jobId: 'job_1', stage: 'STAGE_SUMMARY', status: 'STAGE_STATUS_SKIPPED' });
    // And it goes on over HTTP, as forwarders do.
    expect(HTTP.binary(parsed).headers).toMatchObject({ 'ce-id': sent.id, 'ce-type': 'stage.finished' });
  });

  it('may have fields, values and attributes of a newer schema', () => {
    const sent = event();
    const { headers, value } = received(sent);
    const newer = { ...(JSON.parse(String(value)) as object), inventedLater: { deep: [1] } };
    const record = received(sent, { value: Buffer.from(JSON.stringify(newer)), headers: { ...headers, ce_newattribute: 'x', 'x-other': 'y' } });
    expect(decoded(record)).toEqual(sent);
  });

  it('takes the time of the record when it has none, and the first of repeated headers', () => {
    const sent = event();
    const { headers = {} } = received(sent);
    const { ce_time: _, ...rest } = headers;
    const record = received(sent, { headers: { ...rest, ce_id: [Buffer.from('evt_a'), Buffer.from('evt_b')] } });
    expect(attributesOf(record)).toMatchObject({ id: 'evt_a', time: '2025-06-15T15:06:40.000Z' });
  });

  it.each([
    ['is not JSON', { value: Buffer.from('{"jobId"') }],
    ['is no object', { value: Buffer.from('[1]') }],
    ['is null', { value: Buffer.from('null') }],
    ['is a tombstone', { value: null }],
    ['has no headers', { headers: undefined }],
    ['is of another version', { headers: { ce_specversion: '2.0', ce_id: 'a', ce_type: 'job.created', ce_source: 'x' } }],
  ])('cannot be read when it %s', (_, changes) => {
    expect(() => decoded(received(event(), changes))).toThrow(expect.objectContaining({ kind: 'invalid', code: 'event_undecodable', retryable: false }));
  });
});
