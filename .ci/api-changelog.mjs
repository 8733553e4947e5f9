const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);

const operationsOf = ({ paths }) => Object.entries(paths).flatMap(([path, item]) => Object.keys(item).filter((key) => METHODS.has(key)).map((method) => `${method.toUpperCase()} ${path}`));

/** The text under the heading of the next release: everything until the next heading of the same level. */
const unreleased = (changelog) => /^## Unreleased\n(.*?)(?=^## |(?![\s\S]))/ms.exec(changelog)?.[1] ?? '';

/** The operations that a text names, such as `GET /api/v1/models`, in backticks. */
const named = (text) => [...text.matchAll(/`((?:GET|PUT|POST|DELETE|PATCH) \/[^`\s]*)`/g)].map(([, operation]) => operation);

/** The operations of a description that its base lacks and the changelog does not name, each as `METHOD /path`. */
export function unlistedOperations(base, current, changelog) {
  const known = new Set([...operationsOf(base), ...named(unreleased(changelog))]);
  return operationsOf(current).filter((operation) => !known.has(operation));
}

/** The operations that the changelog names and the description lacks. */
export function unknownOperations(current, changelog) {
  const existing = new Set(operationsOf(current));
  return named(unreleased(changelog)).filter((operation) => !existing.has(operation));
}
