import { ConfigError } from '@parlance/platform';

export interface MongoUrl {
  /** For the driver: without what is ours. */
  url: string;
  /** The prefix of the databases of the services. */
  baseName: string;
  /** Decoded. */
  user: string | undefined;
  /** For logs: no user, no password, no options. */
  hosts: string;
  /** True when declaring a collection creates its indexes: for development and tests. */
  createIndexes: boolean;
}

/** Not the WHATWG parser: it takes no list of hosts with ports. https://www.mongodb.com/docs/manual/reference/connection-string/ */
const URL_PARTS = /^(?<scheme>mongodb(?:\+srv)?):\/\/(?:(?<user>[^@/?]*)@)?(?<hosts>[^@/?]+)(?:\/(?<name>[^?]*))?(?:\?(?<options>.*))?$/;
const OWN_OPTION = 'createIndexes';
const BASE_NAME = /^[A-Za-z0-9_-]{1,40}$/;
const DEFAULT_NAME = 'parlance';

/** @throws ConfigError, which never holds the URL itself. */
export function parseMongoUrl(text: string): MongoUrl {
  const parts = URL_PARTS.exec(text)?.groups;
  if (!parts?.['hosts']) throw wrong('it must be mongodb://[user[:password]@]<host>[:<port>][,…]/<name>[?<options>]');
  const { scheme, user, hosts } = parts;
  const baseName = parts['name'] || DEFAULT_NAME;
  if (!BASE_NAME.test(baseName)) throw wrong('the name of the database contains invalid characters, or too many');
  const options = (parts['options'] ?? '').split('&').filter((option) => option !== '');
  const own = options.filter((option) => option.startsWith(`${OWN_OPTION}=`));
  const rest = options.filter((option) => !own.includes(option));
  if (own.some((option) => !/=(true|false)$/.test(option))) throw wrong(`${OWN_OPTION} must be true or false`);
  return {
    url: `${scheme}://${user === undefined ? '' : `${user}@`}${hosts}/${parts['name'] ?? ''}${rest.length === 0 ? '' : `?${rest.join('&')}`}`,
    baseName,
    user: user ? decoded(user.split(':')[0] ?? '') : undefined,
    hosts,
    createIndexes: own.at(-1) === `${OWN_OPTION}=true`,
  };
}

/** The service's own: `parlance_webhook_dispatcher`. */
export const databaseName = (baseName: string, service: string): string => `${baseName}_${service.replaceAll(/[^A-Za-z0-9]/g, '_')}`;

function decoded(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    throw wrong('the user is not percent-encoded');
  }
}

const wrong = (what: string) => new ConfigError([`DATABASE_URL: ${what}`]);
