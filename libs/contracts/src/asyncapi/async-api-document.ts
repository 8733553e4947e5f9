import { createFileRegistry, fromBinary, type DescMessage, type FileRegistry } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { EVENTS, TOPICS, typesOn, type MessageCodec, type Topic } from '../events/event-catalogue.js';
import { PUBLIC_EVENT_TYPES, PUBLIC_EVENTS, type PublicEventType } from '../events/public-events.js';
import * as messages from '../generated/parlance/events/v1/events.js';
import { CLOUD_EVENT_HEADERS } from './cloud-event-headers.js';
import { jsonSchemasOf, type JsonSchema } from './proto-json-schema.js';

const PACKAGE = 'parlance.events.v1';
const KAFKA_BINDING = '0.5.0';
const HEADERS = { $ref: '#/components/schemas/CloudEventHeaders' };

const INFO = {
  title: 'Parlance events',
  version: '1.0.0',
  description:
    'The Kafka topics that internal teams may rely on. Events are CloudEvents 1.0 in binary content mode, delivered at least once, ' +
    'in order for each key. An installation may prefix the names of all topics. README.md beside this file is the guide.',
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  tags: [{ name: 'jobs' }, { name: 'transcripts' }],
};

const isPublic = (topic: Topic): boolean => TOPICS[topic].visibility === 'public';
export const PUBLIC_TOPICS = (Object.keys(TOPICS) as Topic[]).filter(isPublic);

/**
 * The AsyncAPI 3.0 description of the public topics.
 * @param descriptors a FileDescriptorSet with source info, as `buf build -o -` writes it
 * @see https://www.asyncapi.com/docs/reference/specification/v3.0.0
 */
export function asyncApiDocument(descriptors: Uint8Array): JsonSchema {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors));
  return {
    asyncapi: '3.0.0',
    info: INFO,
    defaultContentType: 'application/json',
    channels: Object.fromEntries(PUBLIC_TOPICS.map((topic) => [channelName(topic), channelOf(topic)])),
    operations: Object.fromEntries(PUBLIC_TOPICS.map((topic) => [`publish-${channelName(topic)}`, operationOf(topic)])),
    components: {
      messages: Object.fromEntries(PUBLIC_EVENT_TYPES.map((type) => [type, messageOf(type)])),
      schemas: { CloudEventHeaders: CLOUD_EVENT_HEADERS, ...schemasOf(registry) },
    },
  };
}

/** The proto message of a type's data. @throws Error when its codec is of another package */
export function messageNameOf(type: PublicEventType): string {
  const codec = EVENTS[type].codec as unknown;
  const name = Object.entries(messages).find(([, value]) => value === codec)?.[0];
  if (name === undefined) throw new Error(`The data of ${type} are no message of ${PACKAGE}.`);
  return `${PACKAGE}.${name}`;
}

/** 'parlance.jobs.v1' → 'jobs' */
const channelName = (topic: Topic): string => topic.split('.')[1] ?? topic;

function channelOf(topic: Topic): JsonSchema {
  const { partitions, retentionMs, cleanup } = TOPICS[topic];
  const types = typesOn(topic);
  return {
    address: topic,
    title: topic,
    description: `The key of each record is the job's id. The number of partitions may increase, and events are kept for at least the retention given here.`,
    messages: Object.fromEntries(types.map((type) => [type, { $ref: `#/components/messages/${type}` }])),
    bindings: {
      kafka: {
        topic,
        partitions,
        topicConfiguration: { 'cleanup.policy': cleanup, 'retention.ms': retentionMs },
        bindingVersion: KAFKA_BINDING,
      },
    },
  };
}

function operationOf(topic: Topic): JsonSchema {
  const name = channelName(topic);
  return {
    action: 'send',
    summary: `Parlance publishes; consume ${topic} with a consumer group of your own.`,
    tags: [{ name }],
    channel: { $ref: `#/channels/${name}` },
    messages: typesOn(topic).map((type) => ({ $ref: `#/channels/${name}/messages/${type}` })),
  };
}

function messageOf(type: PublicEventType): JsonSchema {
  const { summary, source, example } = PUBLIC_EVENTS[type];
  const { codec, key } = EVENTS[type] as { codec: MessageCodec<unknown>; key: (data: unknown) => string };
  const headers = {
    ce_specversion: '1.0',
    ce_id: 'evt_01JC8Y5Q6A3B9C7D1E5F2G8H4J',
    ce_type: type,
    ce_source: source,
    ce_time: '2026-03-02T09:32:45.012Z',
    ce_partitionkey: key(example),
    'content-type': 'application/json',
  };
  return {
    name: type,
    title: type,
    summary,
    contentType: 'application/json',
    headers: { allOf: [HEADERS, { type: 'object', properties: { ce_type: { const: type } } }] },
    payload: { $ref: `#/components/schemas/${nameIn(messageNameOf(type))}` },
    bindings: { kafka: { key: { type: 'string', description: `The job's id.` }, bindingVersion: KAFKA_BINDING } },
    examples: [{ name: type, headers, payload: codec.toJSON(example) }],
  };
}

function schemasOf(registry: FileRegistry): Record<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  for (const type of PUBLIC_EVENT_TYPES) jsonSchemasOf(messageIn(registry, messageNameOf(type)), found);
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function messageIn(registry: FileRegistry, typeName: string): DescMessage {
  const message = registry.getMessage(typeName);
  if (!message) throw new Error(`The descriptors do not have ${typeName}.`);
  return message;
}

const nameIn = (typeName: string): string => typeName.slice(typeName.lastIndexOf('.') + 1);
