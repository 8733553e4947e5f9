import type { oas31 } from 'zod-openapi';

type Section = 'headers' | 'parameters' | 'responses' | 'requestBodies';

/** A part of an operation, and where it stands. */
interface Slot {
  name: string;
  operationId: string;
  part: object;
  replace: (reference: oas31.ReferenceObject) => void;
}

/**
 * Moves the headers, parameters and named responses that occur more than once in the document to `components`, and refers
 * to them from each place. Names are derived from what a part is, so that an operation need not declare which parts it shares.
 */
export function shareParts(document: oas31.OpenAPIObject): void {
  const operations = operationsOf(document.paths);
  const components = (document.components ??= {});
  const all = [...operations, ...operationsOf(document.webhooks)];
  for (const { parameters = [] } of all) parameters.forEach(describeOnce);
  // Headers first: responses with the same headers are equal afterwards.
  share(components, 'headers', operations.flatMap(headerSlots));
  share(components, 'parameters', all.flatMap(parameterSlots));
  share(components, 'responses', all.flatMap(namedResponseSlots));
  share(components, 'responses', operations.flatMap(successSlots));
  share(components, 'requestBodies', operationsOf(document.webhooks).flatMap(bodySlots));
}

/** A parameter is described where it is declared, and not again in its schema. */
function describeOnce(parameter: oas31.ParameterObject | oas31.ReferenceObject): void {
  if (!('schema' in parameter) || parameter.schema === undefined || !('description' in parameter.schema)) return;
  const { description, ...schema } = parameter.schema;
  if (description === parameter.description) parameter.schema = schema;
}

function share(components: oas31.ComponentsObject, section: Section, slots: readonly Slot[]): void {
  const shared: Record<string, object> = { ...components[section] };
  for (const equal of Map.groupBy(slots, ({ part }) => JSON.stringify(part)).values()) {
    const [first] = equal;
    if (first === undefined || equal.length === 1) continue;
    // Another part has the name already, such as `limit` with another default.
    const name = first.name in shared ? `${pascalCase(first.operationId)}${first.name}` : first.name;
    const reference = { $ref: `#/components/${section}/${name}` };
    if (!isShorter(equal, reference, name)) continue;
    shared[name] = first.part;
    for (const { replace } of equal) replace(reference);
  }
  const sorted = Object.entries(shared).toSorted(([one], [other]) => (one < other ? -1 : 1));
  Object.assign(components, { [section]: Object.fromEntries(sorted) });
}

/** True when a part with its name, and the references to it, take less than the parts in their places. */
function isShorter(equal: readonly Slot[], reference: oas31.ReferenceObject, name: string): boolean {
  const bytes = (value: unknown) => JSON.stringify(value).length;
  const inPlace = equal.length * bytes(equal[0]?.part);
  return bytes({ [name]: equal[0]?.part }) + equal.length * bytes(reference) < inPlace;
}

const operationsOf = (paths: oas31.PathsObject = {}) => Object.values(paths).flatMap((path) => Object.values(path) as oas31.OperationObject[]);

const responsesOf = ({ responses = {} }: oas31.OperationObject) => Object.entries(responses) as [status: string, response: oas31.ResponseObject][];

const headerSlots = (operation: oas31.OperationObject): Slot[] =>
  responsesOf(operation).flatMap(([, { headers = {} }]) => Object.entries(headers).map(([name, part]) => slotOf(operation, name, part, (reference) => (headers[name] = reference))));

const parameterSlots = (operation: oas31.OperationObject): Slot[] =>
  (operation.parameters ?? []).flatMap((part, index, all) => ('name' in part ? [slotOf(operation, pascalCase(part.name), part, (reference) => (all[index] = reference))] : []));

/** The responses with a name of their own. */
const namedResponseSlots = (operation: oas31.OperationObject): Slot[] =>
  responsesOf(operation).flatMap(([status, { [NAME]: name, ...part }]) => {
    if (typeof name !== 'string') return [];
    const responses = operation.responses ?? {};
    // The name is not part of the description.
    responses[status] = part;
    return [slotOf(operation, name, part, (reference) => (responses[status] = reference))];
  });

/** Answers that succeed and have a body: the same ones are of operations with the same result. */
const successSlots = (operation: oas31.OperationObject): Slot[] =>
  responsesOf(operation).flatMap(([status, part]) =>
    status.startsWith('2') && 'content' in part ? [slotOf(operation, pascalCase(`${operation.operationId}-response`), part, (reference) => ((operation.responses ?? {})[status] = reference))] : [],
  );

const bodySlots = (operation: oas31.OperationObject): Slot[] =>
  operation.requestBody ? [slotOf(operation, 'JobWebhook', operation.requestBody, (reference) => (operation.requestBody = reference))] : [];

const slotOf = ({ operationId = '' }: oas31.OperationObject, name: string, part: object, replace: Slot['replace']): Slot => ({ name, operationId, part, replace });

/** Marks a response that may be shared, with the name that it then has. */
export const NAME = 'x-shared-name';

/** `invalid_state`, `If-None-Match` and `listKeys` as `InvalidState`, `IfNoneMatch` and `ListKeys`. */
export const pascalCase = (name: string): string => name.replace(/(?:^|[^A-Za-z0-9]+)(\w?)/g, (_, letter: string) => letter.toUpperCase());
