import { createHash, timingSafeEqual } from 'node:crypto';
import { InterceptingCall, ServerInterceptingCall, status, type Interceptor, type Metadata, type ServerInterceptor } from '@grpc/grpc-js';
import type { GrpcConfig } from './grpc-config.js';
import { isLoopback } from '../loopback.js';

const HEADER = 'authorization';

/** Puts the shared secret of the installation on each call. */
export function sendToken(token: string): Interceptor {
  return (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start(metadata, listener, next) {
        metadata.set(HEADER, `Bearer ${token}`);
        next(metadata, listener);
      },
    });
}

/**
 * Refuses calls without the shared secret, before their handlers see anything.
 * @param name the setting that holds it
 */
export function requireToken(token: string, name = 'GRPC_TOKEN'): ServerInterceptor {
  const expected = digest(`Bearer ${token}`);
  const isRight = (metadata: Metadata) => timingSafeEqual(digest(String(metadata.get(HEADER)[0] ?? '')), expected);
  return (_method, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, pass) {
            if (isRight(metadata)) pass(metadata);
            else call.sendStatus({ code: status.UNAUTHENTICATED, details: `The call has no valid ${name}.`, metadata: null });
          },
        });
      },
    });
}

/** Digests have equal length, so that they can be compared in constant time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** @returns a fault when a gRPC server at this address would accept every caller that can reach it */
export function unguardedGrpc(url: string, { GRPC_TOKEN, GRPC_TLS_CERT }: Partial<Pick<GrpcConfig, 'GRPC_TOKEN' | 'GRPC_TLS_CERT'>>): string[] {
  if (GRPC_TOKEN !== undefined || GRPC_TLS_CERT !== undefined || url.startsWith('unix:') || isLoopback(url.replace(/:\d+$/, ''))) return [];
  return [
    `GRPC_LISTEN: ${url} is reachable from other machines, and every caller would be accepted; set GRPC_TOKEN (best as GRPC_TOKEN_FILE, the same for all services) or GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA`,
  ];
}
