import { ConfigError } from '@parlance/platform';

export interface OpenSearchUrl {
  /** `https://host:port`, without the user. */
  node: string;
  user: string | undefined;
  password: string | undefined;
  /** The prefix of the names of its indices. */
  prefix: string;
  /** File of the certificate authority that signed the server's certificate. */
  ca: string | undefined;
  /** Makes the indices at the start: for development and tests. */
  createIndex: boolean;
  shards: number;
  replicas: number;
}

const SHAPE = /^opensearch\+(https?):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)\/([^?#]*)(?:\?([^#]*))?$/;
const OPTIONS = ['ca', 'createIndex', 'shards', 'replicas'];
/** https://docs.opensearch.org/docs/latest/api-reference/index-apis/create-index/#index-naming-restrictions */
const PREFIX = /^[a-z0-9][a-z0-9-]{0,99}$/;

/** `opensearch+https://<user>[:<password>]@<host>[:<port>]/<prefix>[?ca=…&createIndex=true&shards=1&replicas=1]` @throws ConfigError */
export function parseOpenSearchUrl(text: string): OpenSearchUrl {
  const [, scheme, user, password, host, prefix = '', query] = SHAPE.exec(text) ?? [];
  const node = `${scheme}://${host}`;
  if (scheme === undefined || !URL.canParse(node)) throw wrong(['it must be opensearch+https://[<user>[:<password>]@]<host>[:<port>]/<prefix>[?<options>]']);
  const options = new URLSearchParams(query);
  const problems = [...options.keys()].filter((name) => !OPTIONS.includes(name)).map((name) => `the option ${name} does not exist; the options are ${OPTIONS.join(', ')}`);
  if (!PREFIX.test(prefix)) problems.push('the prefix must be lower-case letters, digits and "-"');
  const createIndex = options.get('createIndex') ?? 'false';
  if (!['true', 'false'].includes(createIndex)) problems.push('createIndex must be true or false');
  const [shards, replicas] = [numberOf(options, 'shards', 1, 1, problems), numberOf(options, 'replicas', 1, 0, problems)];
  if (problems.length > 0) throw wrong(problems);
  return {
    node,
    user: user === undefined || user === '' ? undefined : decodeURIComponent(user),
    password: password === undefined ? undefined : decodeURIComponent(password),
    prefix,
    ca: options.get('ca') ?? undefined,
    createIndex: createIndex === 'true',
    shards,
    replicas,
  };
}

function numberOf(options: URLSearchParams, name: string, byDefault: number, least: number, problems: string[]): number {
  const text = options.get(name);
  if (text === null) return byDefault;
  if (!/^\d{1,3}$/.test(text) || Number(text) < least) problems.push(`${name} must be a whole number from ${least}`);
  return Number(text);
}

const wrong = (problems: string[]) => new ConfigError(problems.map((problem) => `SEARCH_URL: ${problem}`));
