// The modules of a service import this. It loads no HTTP or gRPC server; `@parlance/runtime/process` does.
export * from './bind-error.js';
export type { GrpcConfig } from './grpc/grpc-config.js';
export { isLoopback } from './loopback.js';
export type { UrlConfig } from './open-ports.js';
export { servicePort } from './service-context-module.js';
export * from './service-manifest.js';
export * from './service-tokens.js';
export * from './services/implementation.js';
export * from './tls/certificates.js';
