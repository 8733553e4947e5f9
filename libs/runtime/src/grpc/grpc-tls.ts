import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { credentials, ServerCredentials, type ChannelCredentials } from '@grpc/grpc-js';
import { ConfigError } from '@parlance/platform';
import type { GrpcConfig } from './grpc-config.js';

type TlsConfig = Partial<Pick<GrpcConfig, 'GRPC_TLS_CERT' | 'GRPC_TLS_KEY' | 'GRPC_TLS_CA'>>;
type Variable = keyof TlsConfig;

/** Both ends of the calls between services: each side shows its certificate and checks the other's. */
export interface GrpcSecurity {
  server(target: string): ServerCredentials;
  client(target: string): ChannelCredentials;
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Mutual TLS when it is configured, plain text when not. Unix sockets, which only their owner can open, stay plain.
 * @throws ConfigError with a line for what is missing, unreadable, out of its time or does not belong together.
 */
export function grpcSecurity(config: TlsConfig, now: Date): GrpcSecurity {
  const names = ['GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CA'] as const;
  const missing = names.filter((name) => config[name] === undefined);
  if (missing.length === names.length) return PLAIN;
  if (missing.length > 0) throw new ConfigError([`${missing.join(', ')}: missing; mutual TLS needs ${names.join(', ')}`]);
  const { GRPC_TLS_CERT: cert = '', GRPC_TLS_KEY: key = '', GRPC_TLS_CA: ca = '' } = config;
  const problem = problemWith(certificatesIn('GRPC_TLS_CERT', cert), privateKeyIn(key), certificatesIn('GRPC_TLS_CA', ca), now);
  if (problem) throw new ConfigError([problem]);
  const [chain, secret, authorities] = [cert, key, ca].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
  const server = ServerCredentials.createSsl(authorities, [{ cert_chain: chain, private_key: secret }], true);
  const client = credentials.createSsl(authorities, secret, chain);
  return {
    server: (target) => (isLocal(target) ? PLAIN.server(target) : server),
    client: (target) => (isLocal(target) ? PLAIN.client(target) : client),
  };
}

const PLAIN: GrpcSecurity = {
  server: () => ServerCredentials.createInsecure(),
  client: () => credentials.createInsecure(),
};

const isLocal = (target: string): boolean => target.startsWith('unix:');

/** The first thing that would make every handshake fail, where it can be seen from here. */
function problemWith(chain: X509Certificate[], key: KeyObject, authorities: X509Certificate[], now: Date): string | undefined {
  const [own] = chain as [X509Certificate];
  const late = chain.find(({ validToDate }) => validToDate < now);
  if (late) return `GRPC_TLS_CERT: expired on ${late.validToDate.toISOString()} (${nameOf(late)})`;
  const early = chain.find(({ validFromDate }) => validFromDate > now);
  if (early) return `GRPC_TLS_CERT: not valid before ${early.validFromDate.toISOString()} (${nameOf(early)})`;
  if (!own.checkPrivateKey(key)) return `GRPC_TLS_KEY: not the key of GRPC_TLS_CERT (${nameOf(own)})`;
  if (authorities.every(({ validToDate }) => validToDate < now)) return 'GRPC_TLS_CA: every certificate in it has expired';
  if (!isSigned(own, chain.slice(1), authorities)) return `GRPC_TLS_CERT: not signed by GRPC_TLS_CA (${nameOf(own)})`;
  return undefined;
}

/** Whether an authority has signed it, over however many certificates between. */
function isSigned(certificate: X509Certificate, between: X509Certificate[], authorities: X509Certificate[]): boolean {
  const signs = (issuer: X509Certificate) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (authorities.some(signs)) return true;
  const next = between.find(signs);
  return next !== undefined && isSigned(next, between.filter((other) => other !== next), authorities);
}

function certificatesIn(variable: Variable, text: string): X509Certificate[] {
  try {
    const certificates = (text.match(PEM_BLOCK) ?? []).map((block) => new X509Certificate(block));
    if (certificates.length > 0) return certificates;
  } catch {
    // The same to who has to mend it.
  }
  throw new ConfigError([`${variable}: holds no certificate in PEM`]);
}

function privateKeyIn(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw new ConfigError(['GRPC_TLS_KEY: holds no private key in PEM, or one with a passphrase']);
  }
}

const nameOf = ({ subject }: X509Certificate): string => subject.replaceAll('\n', ', ');
