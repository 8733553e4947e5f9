import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createFileRegistry, fromBinary, fromJson, toJson, type JsonValue } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { EVENTS, TOPICS, typesOn, type MessageCodec } from '../events/event-catalogue.js';
import { PUBLIC_EVENT_TYPES, PUBLIC_EVENTS, type PublicEventType } from '../events/public-events.js';
import { asyncApiDocument, messageNameOf, PUBLIC_TOPICS } from './async-api-document.js';

const descriptors = spawnSync(resolve('node_modules/.bin/buf'), ['build', '-o', '-#format=binpb'], { cwd: 'proto' }).stdout;
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors));
const text = readFileSync('docs/events/asyncapi.yaml', 'utf8');

/** Of Spectral's diagnostics; 0 is an error. */
const WARNING = 1;

const DAY_MS = 24 * 60 * 60 * 1000;

/** `job.created`, `.started`: the later ones without what they share with the first. */
function namesIn(cell: string): string[] {
  const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const [stem] = names[0]?.split('.') ?? [];
  return names.map((name) => (name.startsWith('.') ? `${stem}${name}` : name));
}

interface Description {
  channels: Record<string, { address: string; bindings: { kafka: { partitions: number; topicConfiguration: Record<string, unknown> } } }>;
  components: { messages: Record<string, { examples: { headers: unknown; payload: Record<string, unknown> }[] }>; schemas: Record<string, unknown> };
}
const description = parse(text) as Description;

const ajv = addFormats.default(new Ajv({ strict: false, allErrors: true })).addSchema(description, 'asyncapi', undefined, false);
const validatorOf = (pointer: string): ValidateFunction => ajv.compile({ $ref: `asyncapi#/components/${pointer}` });
const exampleOf = (type: PublicEventType) => description.components.messages[type]!.examples[0]!;

describe('the description of the public topics', () => {
  it('is as the catalogue and the protos say now', () => {
    expect(description).toEqual(JSON.parse(JSON.stringify(asyncApiDocument(descriptors))));
  });

  it('is AsyncAPI 3 without an error or a warning', () => {
    const { stdout } = spawnSync(process.execPath, ['libs/contracts/test/diagnose-async-api.mjs'], { input: text, encoding: 'utf8' });
    const { version, diagnostics } = JSON.parse(stdout) as { version: string; diagnostics: { severity: number; message: string }[] };
    expect(diagnostics.filter(({ severity }) => severity <= WARNING)).toEqual([]);
    expect(version).toBe('3.0.0');
  });

  it('has every public topic with its partitions, retention and cleanup, and no other', () => {
    const channels = Object.values(description.channels).map(({ address, bindings: { kafka } }) => [address, kafka.partitions, kafka.topicConfiguration['retention.ms'], kafka.topicConfiguration['cleanup.policy']]);
    expect(channels).toEqual(PUBLIC_TOPICS.map((topic) => [topic, TOPICS[topic].partitions, TOPICS[topic].retentionMs, TOPICS[topic].cleanup]));
    expect(PUBLIC_TOPICS.flatMap(typesOn).toSorted()).toEqual([...PUBLIC_EVENT_TYPES].toSorted());
  });

  it('has the topics and types that the table of the guide has', () => {
    const rows = readFileSync('docs/events/README.md', 'utf8').matchAll(/^\| `(parlance\.[^`]+)` \| ([^|]+) \| \w+ \| (\d+) \| (\d+) days \|$/gm);
    const told = [...rows].map(([, topic, types = '', partitions, days]) => ({ topic, types: namesIn(types), partitions: Number(partitions), retentionMs: Number(days) * DAY_MS }));
    expect(told).toEqual(PUBLIC_TOPICS.map((topic) => ({ topic, types: typesOn(topic), partitions: TOPICS[topic].partitions, retentionMs: TOPICS[topic].retentionMs })));
  });
});

describe.each(PUBLIC_EVENT_TYPES)('the schema of %s', (type) => {
  const data = validatorOf(`messages/${type}/payload`);
  const headers = validatorOf(`messages/${type}/headers`);
  const message = registry.getMessage(messageNameOf(type))!;

  it('takes its example, headers and data', () => {
    const example = exampleOf(type);
    expect([headers(example.headers), headers.errors]).toEqual([true, null]);
    expect([data(example.payload), data.errors]).toEqual([true, null]);
  });

  it('describes every field that the proto3 JSON mapping writes', () => {
    const { payload } = exampleOf(type);
    // Refuses names and enum values that the proto does not have.
    const canonical = toJson(message, fromJson(message, payload as JsonValue)) as Record<string, unknown>;
    expect(Object.keys(canonical).toSorted()).toEqual(Object.keys(payload).toSorted());
    expect([data(canonical), data.errors]).toEqual([true, null]);
    const codec = EVENTS[type].codec as MessageCodec<unknown>;
    expect(codec.toJSON(codec.fromJSON(canonical))).toEqual(payload);
    expect(codec.fromJSON(payload)).toEqual(PUBLIC_EVENTS[type].example);
  });

  it('takes what a newer version adds', () => {
    expect(data({ ...exampleOf(type).payload, inventedLater: { deep: [1] } })).toBe(true);
    expect(headers({ ...(exampleOf(type).headers as object), ce_newattribute: 'x' })).toBe(true);
  });

  it('refuses what is of another type', () => {
    expect(data({ ...exampleOf(type).payload, accountId: 7 })).toBe(false);
    expect(headers({ ...(exampleOf(type).headers as object), ce_type: 'chunk.requested' })).toBe(false);
    expect(headers({})).toBe(false);
  });
});

describe('an enum in a schema', () => {
  it('names its values and leaves room for more', () => {
    const data = validatorOf('schemas/JobEvent');
    expect(data({ status: 'JOB_STATUS_COMPLETED' })).toBe(true);
    expect(data({ status: 'JOB_STATUS_PAUSED' })).toBe(true);
    expect(data({ status: 3 })).toBe(false);
    expect(data({ status: 'completed' })).toBe(false);
  });
});
