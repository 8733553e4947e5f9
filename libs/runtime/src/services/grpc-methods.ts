import type { MethodDefinition as GrpcMethod } from '@grpc/grpc-js';
import type { MessageType, ServiceDefinition } from '@parlance/contracts';
import { pathOf } from './served-service.js';

export type GrpcMethodDefinition = GrpcMethod<unknown, unknown>;

/** The methods of a service as grpc-js wants them. */
export function grpcMethods(definition: ServiceDefinition): Record<string, GrpcMethodDefinition> {
  const methods = Object.entries(definition.methods).map(([name, { requestType, requestStream, responseType, responseStream }]): [string, GrpcMethodDefinition] => [
    name,
    {
      path: pathOf(definition, name),
      requestStream,
      responseStream,
      requestSerialize: writer(requestType),
      requestDeserialize: (bytes) => requestType.decode(bytes),
      responseSerialize: writer(responseType),
      responseDeserialize: (bytes) => responseType.decode(bytes),
    },
  ]);
  return Object.fromEntries(methods);
}

const writer = (type: MessageType) => (message: unknown): Buffer => Buffer.from(type.encode(message as never).finish());
