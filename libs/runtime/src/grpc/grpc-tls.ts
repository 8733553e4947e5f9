import type { KeyObject, X509Certificate } from 'node:crypto';
import { credentials, ServerCredentials, type ChannelCredentials } from '@grpc/grpc-js';
import { ConfigError } from '@parlance/platform';
import { certificateProblem, certificatesIn, privateKeyIn, subjectOf } from '../tls/certificates.js';
import type { GrpcConfig } from './grpc-config.js';

type TlsConfig = Partial<Pick<GrpcConfig, 'GRPC_TLS_CERT' | 'GRPC_TLS_KEY' | 'GRPC_TLS_CA'>>;

/** Both ends of the calls between services: each side shows its certificate and checks the other's. */
export interface GrpcSecurity {
  server(target: string): ServerCredentials;
  client(target: string): ChannelCredentials;
}

/**
 * Mutual TLS when it is configured, plain text when not. Unix sockets, which only their owner can open, stay plain.
 * @throws ConfigError with a line for what is missing, unreadable, expired, not valid yet or does not belong together.
 */
export function grpcSecurity(config: TlsConfig, now: Date): GrpcSecurity {
  const names = ['GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CA'] as const;
  const missing = names.filter((name) => config[name] === undefined);
  if (missing.length === names.length) return PLAIN;
  if (missing.length > 0) throw new ConfigError([`${missing.join(', ')}: missing; mutual TLS needs ${names.join(', ')}`]);
  const { GRPC_TLS_CERT: cert = '', GRPC_TLS_KEY: key = '', GRPC_TLS_CA: ca = '' } = config;
  const problem = problemWith(certificatesIn('GRPC_TLS_CERT', cert), privateKeyIn('GRPC_TLS_KEY', key), certificatesIn('GRPC_TLS_CA', ca), now);
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

/** Finds the first fault of the own certificate that would make every handshake fail. */
function problemWith(chain: X509Certificate[], key: KeyObject, authorities: X509Certificate[], now: Date): string | undefined {
  const [own] = chain as [X509Certificate];
  const problem = certificateProblem(chain, key, { cert: 'GRPC_TLS_CERT', key: 'GRPC_TLS_KEY' }, now);
  if (problem) return problem;
  if (authorities.every(({ validToDate }) => validToDate < now)) return 'GRPC_TLS_CA: every certificate in it has expired';
  if (!isSigned(own, chain.slice(1), authorities)) return `GRPC_TLS_CERT: not signed by GRPC_TLS_CA (${subjectOf(own)})`;
  return undefined;
}

/** True when an authority has signed the certificate, directly or through any number of intermediate certificates. */
function isSigned(certificate: X509Certificate, between: X509Certificate[], authorities: X509Certificate[]): boolean {
  const signs = (issuer: X509Certificate) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (authorities.some(signs)) return true;
  const next = between.find(signs);
  return next !== undefined && isSigned(next, between.filter((other) => other !== next), authorities);
}
