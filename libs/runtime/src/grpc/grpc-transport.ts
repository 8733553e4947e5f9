import { Server as GrpcServer, type ServerCredentials } from '@grpc/grpc-js';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { HealthReport } from '@parlance/platform';
import { addToServer } from '../services/grpc-service.js';
import type { ServedService } from '../services/served-service.js';
import { serverChannelOptions } from './grpc-channel-options.js';
import type { GrpcConfig } from './grpc-config.js';
import { addHealth, GrpcHealth } from './grpc-health.js';
import { requireToken } from './grpc-token.js';

interface GrpcTransportOptions {
  /** `host:port` or `unix:<path>`. */
  url: string;
  services: readonly ServedService[];
  credentials: ServerCredentials;
  /** The token that calls must carry; undefined when none is required. */
  token: string | undefined;
  config: Pick<GrpcConfig, 'GRPC_KEEPALIVE_SECONDS' | 'GRPC_CONNECTION_AGE_SECONDS' | 'GRPC_TLS_SERVER_NAME'>;
  health: () => Promise<HealthReport>;
}

/**
 * Nest's transport of a service: a gRPC server with handlers made from the service's ports, and the health of the process.
 * Nest's own gRPC transport is not used; decision 51 says why.
 */
export class GrpcTransport extends Server implements CustomTransportStrategy {
  private readonly health: GrpcHealth;
  private readonly server: GrpcServer;

  constructor(private readonly options: GrpcTransportOptions) {
    super();
    const { services, token, config, health } = options;
    this.health = new GrpcHealth({ services: services.map(({ definition }) => definition.fullName), health });
    this.server = new GrpcServer({ ...serverChannelOptions(config), ...(token !== undefined && { interceptors: [requireToken(token)] }) });
    addHealth(this.server, this.health);
    for (const service of services) addToServer(this.server, service);
  }

  override listen(callback: (error?: Error | null) => void): void {
    const { url, credentials } = this.options;
    this.server.bindAsync(url, credentials, (error) => callback(error));
  }

  /** Accepts no more connections and calls, sends GOAWAY to the clients, and gives running calls that time to end. */
  async drain(graceMs: number): Promise<void> {
    this.health.drain();
    await drainServer(this.server, graceMs);
  }

  /** Called by Nest as the application closes, after `drain`. */
  override close(): void {
    this.server.forceShutdown();
  }

  override unwrap<T>(): T {
    return this.server as T;
  }

  override on(): never {
    throw new Error('The gRPC server publishes no events.');
  }
}

/** Accepts no more connections and calls, sends GOAWAY to the clients, and cancels the calls that still run after the grace. */
export async function drainServer(server: GrpcServer, graceMs: number): Promise<void> {
  const late = setTimeout(() => server.forceShutdown(), graceMs);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  clearTimeout(late);
}
