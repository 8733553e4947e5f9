import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError } from '@parlance/platform';
import type { SASLOptions } from 'kafkajs';

export interface KafkaSettings {
  /** `host:port` of the brokers to begin with. */
  brokers: string[];
  /** Before the names of all topics and groups, so that several installations share a cluster. */
  topicPrefix: string;
  ssl?: ConnectionOptions;
  sasl?: SASLOptions;
  /** Milliseconds without a heartbeat after which a consumer's partitions go to others. */
  sessionTimeoutMs: number;
  heartbeatIntervalMs: number;
}

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
type Mechanism = (typeof MECHANISMS)[number];

const PARAMETERS = ['ssl', 'ssl-ca', 'ssl-cert', 'ssl-key', 'sasl', 'username', 'topic-prefix', 'session-timeout-ms', 'heartbeat-interval-ms'];
const FORM = 'kafka://host:9092,host2:9092?ssl=true&sasl=scram-sha-512&username=…';
const TOPIC_CHARACTERS = /^[\w.-]*$/;

/**
 * Reads `kafka://host:9092,host2:9092?…`.
 * @param password of the user in the URL, from KAFKA_PASSWORD; never in the URL, which is logged
 * @throws ConfigError naming everything that is wrong
 */
export function parseKafkaUrl(url: string, password?: string): KafkaSettings {
  const [, authority, query = ''] = /^kafka:\/\/([^/?#]*)\/?(?:\?(.*))?$/.exec(url) ?? [];
  if (!authority) throw new ConfigError([`EVENT_BUS_URL: must be like ${FORM}`]);
  const parameters = new URLSearchParams(query);
  const problems: string[] = [];
  const settings: KafkaSettings = {
    brokers: readBrokers(authority, problems),
    topicPrefix: parameters.get('topic-prefix') ?? '',
    sessionTimeoutMs: readMilliseconds(parameters, 'session-timeout-ms', 10_000, problems),
    heartbeatIntervalMs: readMilliseconds(parameters, 'heartbeat-interval-ms', 1000, problems),
    ...readSsl(parameters, problems),
    ...readSasl(parameters, password, problems),
  };
  for (const name of new Set(parameters.keys())) {
    if (!PARAMETERS.includes(name)) problems.push(`unknown parameter ${name}; known are ${PARAMETERS.join(', ')}`);
    if (parameters.getAll(name).length > 1) problems.push(`${name} is given more than once`);
  }
  if (!TOPIC_CHARACTERS.test(settings.topicPrefix)) problems.push('topic-prefix: only letters, digits, ".", "_" and "-"');
  if (settings.heartbeatIntervalMs * 3 > settings.sessionTimeoutMs) problems.push('heartbeat-interval-ms: at most a third of session-timeout-ms');
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => (problem.startsWith('KAFKA_') ? problem : `EVENT_BUS_URL: ${problem}`)));
  return settings;
}

function readBrokers(authority: string, problems: string[]): string[] {
  if (authority.includes('@')) {
    problems.push('give the user as username=… and the password in KAFKA_PASSWORD or KAFKA_PASSWORD_FILE, not before the host');
    return [];
  }
  return authority.split(',').map((broker) => {
    const [, host, port = '9092'] = /^(\[[\da-fA-F:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/.exec(broker) ?? [];
    if (!host || Number(port) === 0 || Number(port) > 65_535) problems.push(`"${broker}" is not host:port`);
    return `${host}:${port}`;
  });
}

function readMilliseconds(parameters: URLSearchParams, name: string, otherwise: number, problems: string[]): number {
  const value = parameters.get(name);
  if (value === null) return otherwise;
  if (!/^[1-9]\d{0,6}$/.test(value)) problems.push(`${name}: must be a whole number of milliseconds`);
  return Number(value);
}

function readSsl(parameters: URLSearchParams, problems: string[]): Pick<KafkaSettings, 'ssl'> {
  const files = { ca: 'ssl-ca', cert: 'ssl-cert', key: 'ssl-key' };
  const wanted = parameters.get('ssl') ?? 'false';
  if (wanted !== 'true' && wanted !== 'false') problems.push('ssl: must be true or false');
  const ssl: ConnectionOptions = {};
  for (const [option, name] of Object.entries(files)) {
    const path = parameters.get(name);
    if (path === null) continue;
    if (wanted !== 'true') problems.push(`${name}: needs ssl=true`);
    try {
      Object.assign(ssl, { [option]: readFileSync(path) });
    } catch (error) {
      problems.push(`${name}: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
    }
  }
  if (parameters.has('ssl-cert') !== parameters.has('ssl-key')) problems.push('ssl-cert and ssl-key must be given together');
  return wanted === 'true' ? { ssl } : {};
}

function readSasl(parameters: URLSearchParams, password: string | undefined, problems: string[]): Pick<KafkaSettings, 'sasl'> {
  const mechanism = parameters.get('sasl');
  const username = parameters.get('username');
  if (mechanism === null) {
    if (username !== null) problems.push('username: needs sasl=…');
    return {};
  }
  if (!isMechanism(mechanism)) problems.push(`sasl: must be one of ${MECHANISMS.join(', ')}`);
  if (!username) problems.push('sasl: needs username=…');
  if (!password) problems.push('KAFKA_PASSWORD: is required, because EVENT_BUS_URL has sasl=…');
  return isMechanism(mechanism) && username && password ? { sasl: { mechanism, username, password } as SASLOptions } : {};
}

const isMechanism = (name: string): name is Mechanism => (MECHANISMS as readonly string[]).includes(name);
