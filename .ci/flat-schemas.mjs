/**
 * The description with each object as one schema: the properties of the parts that it refers to by `allOf` are its own. For programs that
 * do not see through `allOf`, and to close objects.
 */
export function flatten(description) {
  const { schemas = {} } = description.components ?? {};
  const flat = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, flatSchema(schema, schemas)]));
  return { ...description, components: { ...description.components, schemas: flat } };
}

function flatSchema({ allOf = [], unevaluatedProperties, ...own }, schemas) {
  const parts = allOf.map((part) => flatSchema(part.$ref ? schemas[part.$ref.split('/').at(-1)] : part, schemas));
  const required = [...parts, own].flatMap((part) => part.required ?? []);
  return {
    ...own,
    ...(parts.length > 0 && { properties: Object.assign({}, ...[...parts, own].map(({ properties }) => properties)) }),
    ...(required.length > 0 && { required }),
    ...(unevaluatedProperties === false && { additionalProperties: false }),
  };
}
