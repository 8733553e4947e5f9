/** What the fuzzing reads of an OpenAPI document. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  allOf?: Schema[];
  anyOf?: Schema[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  enum?: unknown[];
  example?: unknown;
  default?: unknown;
  maxLength?: number;
}

interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  schema: Schema;
}

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string; parameters?: (Parameter | { $ref: string })[]; requestBody?: { content: Record<string, { schema: Schema }> }; security?: unknown[] }>>;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter>; securitySchemes: Record<string, { in?: string; name?: string }> };
}

export interface StringPlace {
  in: 'path' | 'query' | 'body' | 'form';
  /** Of a body, the names on the way to the field. A last `*` is the name of a map's member itself. */
  path: readonly string[];
  /** UTF-16 units that the description allows; undefined where it does not say. */
  maxLength: number | undefined;
}

export interface DescribedOperation {
  id: string;
  method: string;
  path: string;
  /** Whether it answers without a key. */
  isPublic: boolean;
  places: StringPlace[];
  /** Headers that the document names for it, its security schemes included. */
  headers: string[];
  pathParameters: Readonly<Record<string, string>>;
  /** A query that is right. */
  query: Readonly<Record<string, string>>;
  /** A JSON body that is right; undefined where it takes none. */
  body: unknown;
  /** Whether it takes a form as well. */
  takesForm: boolean;
}

/** Every operation of the document, with each place where it takes a string. */
export function describedOperations(document: unknown): DescribedOperation[] {
  const api = document as OpenApi;
  const schemes = Object.values(api.components.securitySchemes).map(({ in: where, name }) => (where === 'header' && name ? name : 'authorization'));
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, parameters: given = [], requestBody, security = [] }]) => {
      const parameters = given.map((each) => parameterOf(each, api));
      const named = (where: Parameter['in']) => parameters.filter((parameter) => parameter.in === where);
      const bodySchema = requestBody?.content['application/json']?.schema;
      const formSchema = requestBody?.content['multipart/form-data']?.schema;
      return {
        id,
        method: method.toUpperCase(),
        path,
        isPublic: security.length === 0,
        places: [
          ...[...named('path'), ...named('query')].map(({ in: where, name, schema }) => ({ in: where as 'path' | 'query', path: [name], maxLength: schema.maxLength })),
          ...(bodySchema ? stringsOf(bodySchema, api) : []).map((place) => ({ in: 'body' as const, ...place })),
          ...(formSchema ? stringsOf(formSchema, api) : []).filter(({ path }) => path.length === 1).map((place) => ({ in: 'form' as const, ...place })),
        ],
        headers: [...named('header').map(({ name }) => name), ...schemes],
        pathParameters: exampleOfEach(named('path'), api),
        query: exampleOfEach(named('query').filter(({ name }) => name === 'q'), api),
        body: bodySchema && exampleOf(bodySchema, api),
        takesForm: formSchema !== undefined,
      };
    }),
  );
}

const exampleOfEach = (parameters: readonly Parameter[], api: OpenApi): Record<string, string> =>
  Object.fromEntries(parameters.map(({ name, schema }) => [name, String(exampleOf(schema, api) ?? 'x1')]));

function parameterOf(given: Parameter | { $ref: string }, { components }: OpenApi): Parameter {
  if (!('$ref' in given)) return given;
  const shared = components.parameters?.[given.$ref.split('/').at(-1) ?? ''];
  if (!shared) throw new Error(`The document has no ${given.$ref}.`);
  return shared;
}

/** The schema that is referred to, with the properties of its parts. */
function resolved(schema: Schema, api: OpenApi): Schema {
  const name = schema.$ref?.split('/').at(-1);
  const target = name === undefined ? schema : (api.components.schemas[name] ?? {});
  const all = [...(target.allOf ?? []).map((part) => resolved(part, api)), target];
  const properties = Object.fromEntries(all.flatMap((each) => Object.entries(each.properties ?? {})));
  return Object.keys(properties).length === 0 ? target : { ...target, properties, required: all.flatMap(({ required = [] }) => required) };
}

function stringsOf(given: Schema, api: OpenApi, path: readonly string[] = []): { path: readonly string[]; maxLength: number | undefined }[] {
  const schema = resolved(given, api);
  const inner = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => stringsOf(property, api, [...path, name])),
    ...(schema.anyOf ?? []).flatMap((form) => stringsOf(form, api, path)),
    ...(schema.items ? stringsOf(schema.items, api, [...path, '0']) : []),
    ...(typeof schema.additionalProperties === 'object' ? [{ path: [...path, '*'], maxLength: 64 }, ...stringsOf(schema.additionalProperties, api, [...path, 'a'])] : []),
  ];
  return [schema.type].flat().includes('string') ? [{ path, maxLength: schema.maxLength }, ...inner] : inner;
}

/** The example of the schema, or the least object that it asks for. */
function exampleOf(given: Schema, api: OpenApi): unknown {
  const schema = resolved(given, api);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (schema.properties) return Object.fromEntries((schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {}, api)]));
  if (schema.items) return [exampleOf(schema.items, api)];
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0], api);
  return [schema.type].flat().includes('string') ? 'x1' : [schema.type].flat().includes('boolean') ? false : 1;
}
