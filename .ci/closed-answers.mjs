/**
 * Closes each object of the answers of an API description, in place. Clients ignore fields they do not know, so that the
 * published answers are open; here a field that is not described is a fault.
 */
export function closeAnswers(description) {
  const seen = new Set();
  const close = (node) => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    if (node.$ref) close(referred(description, node.$ref));
    if (node.properties) node.additionalProperties ??= false;
    Object.values(node).forEach(close);
  };
  const answers = Object.values(description.paths).flatMap((path) => Object.values(path).flatMap(({ responses }) => Object.values(responses)));
  const inPlace = answers.map((answer) => (answer.$ref ? referred(description, answer.$ref) : answer));
  for (const { content = {} } of inPlace) for (const { schema } of Object.values(content)) close(schema);
  return description;
}

/** The part that a reference such as `#/components/schemas/Job` names. */
const referred = (description, reference) => reference.split('/').slice(1).reduce((part, name) => part[name], description);
