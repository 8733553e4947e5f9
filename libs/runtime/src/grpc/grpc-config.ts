import { z } from 'zod';
import { integer } from '@parlance/platform';
import { grpcAddressConfig } from './grpc-addresses.js';

const pem = () => z.string().optional();

/** Settings of the calls between the services. */
export const grpcConfig = {
  GRPC_LISTEN: z.string().optional().describe('Address that the gRPC server binds to when it is not a unix socket, such as 0.0.0.0:50051'),
  GRPC_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/, 'must be 20 to 200 visible ASCII characters')
    .optional()
    .describe('Secret that all services of an installation share: calls without it are refused. Required when GRPC_LISTEN is not a loopback address and there is no mutual TLS; best as GRPC_TOKEN_FILE'),
  GRPC_TLS_CERT: pem().describe('Certificate of this process in PEM, followed by its chain, for mutual TLS between the services; best as GRPC_TLS_CERT_FILE'),
  GRPC_TLS_KEY: pem().describe('Private key of GRPC_TLS_CERT in PEM; best as GRPC_TLS_KEY_FILE'),
  GRPC_TLS_CA: pem().describe('CA certificates in PEM that verify the certificate of the other side; best as GRPC_TLS_CA_FILE'),
  GRPC_TLS_SERVER_NAME: z.string().optional().describe('Name that every server certificate contains; when empty, the host name of the call'),
  GRPC_KEEPALIVE_SECONDS: integer(1, 3600).default(30).describe('Seconds between pings on a gRPC connection, which detect a peer that disappeared'),
  GRPC_CONNECTION_AGE_SECONDS: integer(1, 86_400)
    .default(300)
    .describe('Seconds after which a gRPC server asks its clients to reconnect, so that they find new replicas; running calls are finished'),
  ...grpcAddressConfig,
} as const;

export type GrpcConfig = { [K in keyof typeof grpcConfig]: (typeof grpcConfig)[K]['_output'] };
