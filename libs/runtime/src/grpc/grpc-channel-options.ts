import type { ChannelOptions } from '@grpc/grpc-js';
import type { ServiceDefinition } from '@parlance/contracts';
import type { GrpcConfig } from './grpc-config.js';

/** The limit of clients and servers alike, so that every message that may be sent can be received. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const MAX_KEEPALIVE_TIMEOUT_MS = 10_000;
const FIRST_RECONNECT_MS = 200;
const MAX_RECONNECT_MS = 5_000;
/** The minimum time between two look-ups of a name. A replica that stopped is replaced by one with another address. */
const RESOLUTION_PAUSE_MS = 1_000;

interface MethodName {
  service: string;
  method: string;
}

/** Methods whose `idempotency_level` says that a call whose answer was lost may be repeated. */
export const repeatable = ({ fullName, methods }: ServiceDefinition): MethodName[] =>
  Object.values(methods).flatMap(({ name, options }) => (options.idempotencyLevel === undefined ? [] : [{ service: fullName, method: name }]));

/**
 * gRPC service config (github.com/grpc/grpc, doc/service_config.md): calls go to the replicas in turn; one that a replica could
 * not answer is repeated with the next where that is safe. What no server has seen yet, gRPC sends again by itself.
 */
const serviceConfig = (definition: ServiceDefinition) => ({
  loadBalancingConfig: [{ round_robin: {} }],
  methodConfig: [
    {
      name: repeatable(definition),
      retryPolicy: { maxAttempts: 4, initialBackoff: '0.1s', maxBackoff: '1s', backoffMultiplier: 2, retryableStatusCodes: ['UNAVAILABLE'] },
    },
  ],
  // When most calls fail, retries are throttled: they would only add load.
  retryThrottling: { maxTokens: 20, tokenRatio: 0.1 },
});

type ChannelConfig = Pick<GrpcConfig, 'GRPC_KEEPALIVE_SECONDS' | 'GRPC_CONNECTION_AGE_SECONDS' | 'GRPC_TLS_SERVER_NAME'>;

const common = ({ GRPC_KEEPALIVE_SECONDS }: ChannelConfig): ChannelOptions => ({
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.keepalive_time_ms': GRPC_KEEPALIVE_SECONDS * 1000,
  'grpc.keepalive_timeout_ms': Math.min(GRPC_KEEPALIVE_SECONDS * 1000, MAX_KEEPALIVE_TIMEOUT_MS),
});

export const clientChannelOptions = (config: ChannelConfig, definition: ServiceDefinition): ChannelOptions => ({
  ...common(config),
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.service_config': JSON.stringify(serviceConfig(definition)),
  'grpc.service_config_disable_resolution': 1,
  'grpc.initial_reconnect_backoff_ms': FIRST_RECONNECT_MS,
  'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_MS,
  'grpc.dns_min_time_between_resolutions_ms': RESOLUTION_PAUSE_MS,
  ...(config.GRPC_TLS_SERVER_NAME !== undefined && { 'grpc.ssl_target_name_override': config.GRPC_TLS_SERVER_NAME }),
});

/** A connection ends at its age, so that clients look the name up again and find new replicas; running calls are finished on it. */
export const serverChannelOptions = (config: ChannelConfig): ChannelOptions => ({
  ...common(config),
  'grpc.max_connection_age_ms': config.GRPC_CONNECTION_AGE_SECONDS * 1000,
});
