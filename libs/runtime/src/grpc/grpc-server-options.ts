import type { ServiceDefinition } from '@grpc/grpc-js';
import { Transport, type GrpcOptions } from '@nestjs/microservices';

/** Of both ends: an answer that may be sent can be received. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Nest's gRPC server on generated service definitions, without .proto files at run time. */
export function grpcServerOptions(url: string, services: Record<string, ServiceDefinition>): GrpcOptions & { transport: Transport.GRPC } {
  const packages = new Set(Object.keys(services).map((fullName) => fullName.slice(0, fullName.lastIndexOf('.'))));
  return {
    transport: Transport.GRPC,
    options: {
      url,
      package: [...packages],
      packageDefinition: services,
      gracefulShutdown: true,
      maxSendMessageLength: MAX_MESSAGE_BYTES,
      maxReceiveMessageLength: MAX_MESSAGE_BYTES,
    },
  };
}
