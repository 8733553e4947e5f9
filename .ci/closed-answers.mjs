import { flatten } from './flat-schemas.mjs';

/**
 * Closes each object and each list of values of the answers of an API description. Clients take fields and values that
 * they do not know, so that the published answers are open; here what is not described is a fault.
 */
export function closeAnswers(published) {
  const description = flatten(structuredClone(published));
  const seen = new Set();
  const close = (node) => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    if (node.$ref) close(referred(description, node.$ref));
    if (node.properties) node.additionalProperties ??= false;
    if (isOpenEnum(description, node)) node.anyOf = node.anyOf.filter(({ $ref }) => $ref);
    Object.values(node).forEach(close);
  };
  for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path))) nameStatuses(description, operation);
  const answers = Object.values(description.paths).flatMap((path) => Object.values(path).flatMap(({ responses }) => Object.values(responses)));
  const inPlace = answers.map((answer) => (answer.$ref ? referred(description, answer.$ref) : answer));
  for (const { content = {} } of inPlace) {
    for (const { schema } of Object.values(content)) close(schema);
    // Schemathesis takes it for the schema of an event with its id and its data as text; specs of the gateway check the data.
    delete content['text/event-stream']?.schema;
  }
  return description;
}

/**
 * Puts the statuses that the default answer stands for in its place: any other is a fault. Its description begins a paragraph with each.
 * A conflict is one of Idempotency-Keys, where the operation names no other.
 */
function nameStatuses(description, { parameters = [], responses }) {
  if (!responses.default) return;
  const { description: text } = responses.default.$ref ? referred(description, responses.default.$ref) : responses.default;
  const takesKey = JSON.stringify(parameters).includes('Idempotency');
  for (const [, status] of text.matchAll(/^(\d{3}): /gm)) if (status !== '409' || takesKey) responses[status] ??= responses.default;
  delete responses.default;
}

/** Named values or any other text. */
const isOpenEnum = (description, { anyOf = [] }) => anyOf.some(({ $ref }) => $ref && referred(description, $ref).enum) && anyOf.some(({ type }) => type === 'string');

/** The part that a reference such as `#/components/schemas/Job` names. */
const referred = (description, reference) => reference.split('/').slice(1).reduce((part, name) => part[name], description);
