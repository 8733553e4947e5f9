import { isDeepStrictEqual } from 'node:util';

interface ObjectSchema {
  type: 'object';
  properties: Record<string, object>;
  required?: string[];
  additionalProperties?: unknown;
  description?: string;
}

/** Objects without a schema of their own in the API: the properties that are the same in all of their members. */
const COMMON_PARTS: Readonly<Record<string, { description: string; members: RegExp }>> = {
  TranscriptionSettings: { description: 'What a job does.', members: /^(NewTranscription|NewBatchItem|TranscriptionUpload)$/ },
  TranscriptionSource: { description: 'The media of a job: one of a URL, an upload or several files.', members: /^(NewTranscription|NewBatchItem)$/ },
  TranscriptionState: { description: 'A job, and how far it is.', members: /^(Transcription|TranscriptionSummary)$/ },
  TranscriptText: { description: 'A transcript without its segments.', members: /^(Transcript|TranscriptDocument)$/ },
  SegmentText: { description: 'A segment without its times.', members: /^(Segment|DocumentSegment)$/ },
  DerivedText: { description: 'What is made of a transcript.', members: /^(Summary|Highlights|Chapters)$/ },
  ErasureReceipt: { description: 'The receipt of an erasure.', members: /^(Erasure|AccountErasure)$/ },
  KeyProperties: { description: 'A key of the account.', members: /^(ApiKey|IssuedApiKey)$/ },
  Page: { description: 'One page of a list.', members: /(?<!Event)Page$/ },
};

/** Bytes of JSON and properties of an object that others are made of. A smaller one saves nothing, and may be the same by chance. */
const MIN_PART = { bytes: 150, properties: 2 };

/**
 * Describes each property once: an object that has all properties of another one refers to it by `allOf`, and describes only what it
 * adds. Generators of clients make it a subclass or an intersection. A body stays closed by `unevaluatedProperties`, which sees the
 * properties of its parts. No part has a map without a name: openapi-python-client would make one class twice.
 */
export function composeSchemas(schemas: Record<string, object>): void {
  const whole = new Map(Object.entries(schemas).filter((entry): entry is [string, ObjectSchema] => 'properties' in entry[1]));
  const common: [string, ObjectSchema][] = [];
  for (const [name, { description, members }] of Object.entries(COMMON_PARTS)) {
    const objects = [...whole].flatMap(([member, schema]) => (members.test(member) ? [schema] : []));
    common.push([name, { ...commonPart(objects, common.map(([, part]) => part)), description }]);
  }
  for (const [name, part] of common) whole.set(name, part);
  for (const [name, schema] of whole) {
    const parts = partsOf(name, whole);
    schemas[name] = parts.length > 0 ? composed(schema, parts, whole) : schema;
  }
}

/** The properties that are the same in all of the objects, without those of other common parts. */
function commonPart([first, ...others]: readonly ObjectSchema[], besides: readonly ObjectSchema[]): ObjectSchema {
  const has = ({ properties }: ObjectSchema, name: string, property: object) => isDeepStrictEqual(properties[name], property);
  const shared = Object.entries(first?.properties ?? {}).filter(([name, property]) => !isMap(property) && others.every((other) => has(other, name, property)) && !besides.some((part) => has(part, name, property)));
  const required = (first?.required ?? []).filter((name) => shared.some(([each]) => each === name) && others.every((other) => other.required?.includes(name)));
  return { type: 'object', properties: Object.fromEntries(shared), ...(required.length > 0 && { required }) };
}

/** The names of the open objects that the schema contains, the largest first; none has a property of one before it. */
function partsOf(name: string, whole: ReadonlyMap<string, ObjectSchema>): string[] {
  const schema = whole.get(name);
  if (!schema) return [];
  const candidates = [...whole]
    .filter(([other, part]) => other !== name && (other in COMMON_PARTS || isLarge(part)) && contains(schema, part))
    .toSorted(([, one], [, other]) => sizeOf(other) - sizeOf(one));
  const described = new Set<string>();
  return candidates.flatMap(([other, { properties }]) => {
    const names = Object.keys(properties);
    if (names.some((property) => described.has(property))) return [];
    for (const property of names) described.add(property);
    return [other];
  });
}

const isMap = (property: object): boolean => 'additionalProperties' in property;

const isLarge = (part: ObjectSchema): boolean => sizeOf(part) >= MIN_PART.bytes && Object.keys(part.properties).length >= MIN_PART.properties;

/** True when the part is open, and has some of the properties of the schema and no others. */
function contains(schema: ObjectSchema, part: ObjectSchema): boolean {
  const { properties, required = [] } = schema;
  const shared = Object.entries(part.properties);
  return (
    part.additionalProperties === undefined &&
    !Object.values(part.properties).some(isMap) &&
    shared.length < Object.keys(properties).length &&
    shared.every(([name, property]) => isDeepStrictEqual(properties[name], property)) &&
    (part.required ?? []).every((name) => required.includes(name))
  );
}

const sizeOf = ({ properties }: ObjectSchema): number => JSON.stringify(properties).length;

/** The schema of its parts and of what it adds. This is a part as well: openapi-python-client takes an `allOf` of one reference for the reference alone. */
function composed({ type, properties, required = [], additionalProperties, ...others }: ObjectSchema, names: readonly string[], whole: ReadonlyMap<string, ObjectSchema>): object {
  const parts = names.map((name) => whole.get(name));
  const own = Object.entries(properties).filter(([name]) => !parts.some((part) => part && name in part.properties));
  const needed = required.filter((name) => !parts.some((part) => part?.required?.includes(name)));
  const added = { ...(own.length > 0 && { properties: Object.fromEntries(own) }), ...(needed.length > 0 && { required: needed }) };
  return {
    type,
    allOf: [...names.map((name) => ({ $ref: `#/components/schemas/${name}` })), ...(Object.keys(added).length > 0 ? [added] : [])],
    ...(additionalProperties === false && { unevaluatedProperties: false }),
    ...others,
  };
}
