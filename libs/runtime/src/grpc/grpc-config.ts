import { z } from 'zod';
import { integer } from '@parlance/platform';
import { grpcAddressConfig } from './grpc-addresses.js';

const pem = () => z.string().optional();

/** Settings of the calls between the services. */
export const grpcConfig = {
  GRPC_LISTEN: z.string().optional().describe('Address the gRPC server binds when it is not a unix socket, such as 0.0.0.0:50051'),
  GRPC_TLS_CERT: pem().describe('Certificate of this process in PEM, its chain after it, for mutual TLS between the services; best as GRPC_TLS_CERT_FILE'),
  GRPC_TLS_KEY: pem().describe('Private key of GRPC_TLS_CERT in PEM; best as GRPC_TLS_KEY_FILE'),
  GRPC_TLS_CA: pem().describe('Certificates in PEM of those who may sign what the other side shows; best as GRPC_TLS_CA_FILE'),
  GRPC_TLS_SERVER_NAME: z.string().optional().describe('Name that the certificate of every server has; when empty, the host it is called by'),
  GRPC_KEEPALIVE_SECONDS: integer(1, 3600).default(30).describe('Seconds between pings on a gRPC connection, which find out that the other side went without a word'),
  GRPC_CONNECTION_AGE_SECONDS: integer(1, 86_400)
    .default(300)
    .describe('Seconds until a gRPC server asks its clients to connect anew, so that they find new replicas; calls that run are finished'),
  ...grpcAddressConfig,
} as const;

export type GrpcConfig = { [K in keyof typeof grpcConfig]: (typeof grpcConfig)[K]['_output'] };
