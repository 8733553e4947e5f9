import { isLoopback } from '../loopback.js';

/** Settings by the names of their environment variables, as they were read. */
type Settings = Readonly<Record<string, unknown>>;

interface PlainTarget {
  hosts: string[];
  advice: string;
}

/**
 * Connections to or from other machines that are not encrypted, a line each: what REQUIRE_TLS=true refuses.
 * Every setting is looked at, so that a new one that takes a URL is covered. Lines hold hosts only: URLs can hold secrets.
 * @param settings of the process and of its services
 * @param grpcServers addresses that its gRPC servers bind
 */
export function plainConnections(settings: Settings, grpcServers: readonly string[]): string[] {
  return [...plainUrls(settings), ...plainGrpc(settings, grpcServers), ...plainGateway(settings)];
}

/** Variables that the AWS SDK reads by itself when MEDIA_URL or KEY_PROVIDER has no endpoint. */
export const awsEndpoints = ({ AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL_KMS }: Record<string, string | undefined>): Settings => ({ AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL_KMS });

function plainUrls(settings: Settings): string[] {
  const isTraced = settings.OTEL_SDK_DISABLED !== 'true';
  return Object.entries(settings).flatMap(([name, value]) => {
    if (typeof value !== 'string' || (name.startsWith('OTEL_') && !isTraced)) return [];
    return urlsOf(value).flatMap((url) => {
      const plain = plainTarget(url);
      const hosts = plain?.hosts.filter((host) => !isLocal(host)) ?? [];
      return plain && hosts.length > 0 ? [line(name, hosts, plain.advice)] : [];
    });
  });
}

/** The URLs of `name=URL,name=URL`, as SPEECH_ENGINES has them; any other value is one URL or none. */
const urlsOf = (value: string): string[] => (NAMED_URL.test(value.trimStart()) ? value.split(/[\s,]/).filter((part) => NAMED_URL.test(part)).map((part) => part.slice(part.indexOf('=') + 1)) : [value]);

const NAMED_URL = /^[a-z\d._-]+=[a-z][a-z\d+.-]*:/i;

/** Undefined when the URL is encrypted, embedded or no URL. */
function plainTarget(url: string): PlainTarget | undefined {
  const scheme = (URL.parse(url)?.protocol ?? /^\s*([a-z][a-z\d+.-]*:)/i.exec(url)?.[1] ?? '').toLowerCase();
  const options = optionsOf(url);
  switch (scheme) {
    case 'kafka:':
      return isOn(options.get('ssl')) ? undefined : { hosts: hostsOf(url), advice: 'add ssl=true' };
    case 'mongodb:':
      return isOn(mongoTls(options)) ? undefined : { hosts: hostsOf(url), advice: 'add tls=true' };
    case 'mongodb+srv:':
      return (mongoTls(options) ?? []).every((value) => value === 'true') ? undefined : { hosts: hostsOf(url), advice: 'remove tls=false' };
    case 'vault-transit:':
      return plainTarget(url.slice(scheme.length));
    case 's3:':
    case 'aws-kms:':
    case 'gcp-kms:':
      return options.get('endpoint')?.map(plainTarget).find((endpoint) => endpoint !== undefined);
    case 'smtp:':
      return requiresStartTls(url, options) ? undefined : { hosts: hostsOf(url), advice: 'use smtps:// or add requireTLS=true' };
    default:
      return /^([a-z][a-z\d+.-]*\+)?http:$/.test(scheme) ? { hosts: [httpHost(url)], advice: 'use https' } : undefined;
  }
}

/** As nodemailer and its adapter read it: with a user STARTTLS is required by itself, and ignoreTLS wins over requireTLS. */
function requiresStartTls(url: string, options: Map<string, string[]>): boolean {
  if (options.has('ignoretls')) return false;
  const required = options.get('requiretls');
  return required === undefined ? (URL.parse(url)?.username ?? '') !== '' : isOn(required);
}

/** `ssl` is the older name of `tls`. */
function mongoTls(options: Map<string, string[]>): string[] | undefined {
  const values = [...(options.get('tls') ?? []), ...(options.get('ssl') ?? [])];
  return values.length > 0 ? values : undefined;
}

const isOn = (values: string[] | undefined): boolean => values !== undefined && values.every((value) => value === 'true');

/** The options of a URL: names in lower case, each with all its values, since drivers differ in which of two they use. */
function optionsOf(url: string): Map<string, string[]> {
  const options = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])) options.set(name.toLowerCase(), [...(options.get(name.toLowerCase()) ?? []), value]);
  return options;
}

/** The hosts of a URL, separated by commas, without user and port. */
function hostsOf(url: string): string[] {
  const authority = /^[^:]*:\/*([^/?#]*)/.exec(url)?.[1] ?? '';
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .split(',')
    .map(withoutPort);
}

/** The host of `http://…` and of `engine+http://…`, in any form that the URL standard accepts. */
const httpHost = (url: string): string => URL.parse(url.trim().replace(/^[^:]*\+/, ''))?.hostname ?? '';

const withoutPort = (host: string): string => host.replace(/:\d+$/, '');

/** MongoDB names unix sockets by a path in percent signs. */
const isLocal = (host: string): boolean => isLoopback(host) || /^%2F.*\.sock$/i.test(host);

function plainGrpc(settings: Settings, servers: readonly string[]): string[] {
  if (settings.GRPC_TLS_CERT !== undefined) return [];
  const targets = Object.entries(settings).filter(([name, value]) => name.endsWith('_GRPC_URL') || isGrpcTarget(value));
  return [...servers.map((server) => ['GRPC_LISTEN', server] as const), ...targets].flatMap(([name, target]) => {
    const hosts = typeof target === 'string' && !target.startsWith('unix:') ? grpcHosts(target).filter((host) => !isLoopback(host)) : [];
    return hosts.length > 0 ? [line(name, hosts, 'set GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA')] : [];
  });
}

/** By its scheme, so that a setting of another name is covered, such as MEDIA_DECODER_URL. */
const isGrpcTarget = (value: unknown): boolean => typeof value === 'string' && /^(dns|ipv4|ipv6):/i.test(value);

/** https://github.com/grpc/grpc/blob/master/doc/naming.md */
const grpcHosts = (target: string): string[] =>
  target
    .replace(/^(dns|ipv4|ipv6):(\/\/[^/]*\/)?/i, '')
    .split(',')
    .map(withoutPort);

function plainGateway({ HOST: host, HTTPS_CERT_FILE: certificate, HSTS_MAX_AGE_SECONDS: maxAge }: Settings): string[] {
  if (typeof host !== 'string' || isLoopback(host) || certificate !== undefined || Number(maxAge ?? 0) > 0) return [];
  return [line('HOST', [host], 'set HTTPS_CERT_FILE and HTTPS_KEY_FILE, or HSTS_MAX_AGE_SECONDS where an ingress terminates TLS')];
}

const line = (name: string, hosts: string[], advice: string): string => `${name}: not encrypted (${hosts.join(', ')}), and REQUIRE_TLS is true; ${advice}`;
