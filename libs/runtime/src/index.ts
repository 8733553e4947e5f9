// What the modules of a service use. Nothing here loads the HTTP and gRPC servers: `@parlance/runtime/process` does, which starts processes.
export * from './bind-error.js';
export type { GrpcConfig } from './grpc/grpc-config.js';
export type { UrlConfig } from './open-ports.js';
export { servicePort } from './service-context-module.js';
export * from './service-manifest.js';
export * from './service-tokens.js';
export * from './services/implementation.js';
export * from './tls/certificates.js';
