import { readFileSync } from 'node:fs';
import type { PublicEventType } from '@parlance/contracts';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { CloudEvent, Kafka, type KafkaMessage } from 'cloudevents';
import type { IncomingRecord } from '../src/kafka/cloud-event-record.js';
import { parse } from 'yaml';

const ajv = addFormats.default(new Ajv({ strict: false, allErrors: true }));
ajv.addSchema(parse(readFileSync('docs/events/asyncapi.yaml', 'utf8')) as object, 'asyncapi', undefined, false);

/** What docs/events/asyncapi.yaml has against headers or data of a type; none when they are as it says. */
export function faultsOf(type: PublicEventType, part: 'headers' | 'payload', value: unknown): ErrorObject[] {
  const validate = ajv.compile({ $ref: `asyncapi#/components/messages/${type}/${part}` });
  validate(value);
  return validate.errors ?? [];
}

/** Headers as text: kafkajs gives bytes. */
export const textHeaders = ({ headers = {} }: Pick<IncomingRecord, 'headers'>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** As docs/events/README.md tells teams to do it: the SDK takes text only. */
export function readWithSdk(record: IncomingRecord): CloudEvent<unknown> {
  const message = { ...record, key: String(record.key), headers: textHeaders(record) };
  const event = Kafka.toEvent(message as unknown as KafkaMessage);
  if (!(event instanceof CloudEvent)) throw new Error('it is one event');
  return event;
}
