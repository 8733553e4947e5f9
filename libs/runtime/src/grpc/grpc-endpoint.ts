import type { Server, ServerCredentials, ServiceDefinition } from '@grpc/grpc-js';
import type { CustomStrategy } from '@nestjs/microservices';
import { health } from '@parlance/contracts';
import type { HealthReport } from '@parlance/platform';
import { serverChannelOptions } from './grpc-channel-options.js';
import type { GrpcConfig } from './grpc-config.js';
import { GrpcHealth } from './grpc-health.js';
import type { CallMetrics } from '../metrics/call-metrics.js';
import type { LocalMethods } from './local-methods.js';
import { observeCalls } from './observed-service.js';
import { PlainGrpcServer } from './plain-grpc-server.js';

export interface GrpcEndpointOptions {
  /** Of the service. */
  name: string;
  /** `host:port` or `unix:<path>`. */
  url: string;
  services: Record<string, ServiceDefinition>;
  credentials: ServerCredentials;
  config: Pick<GrpcConfig, 'GRPC_KEEPALIVE_SECONDS' | 'GRPC_CONNECTION_AGE_SECONDS' | 'GRPC_TLS_SERVER_NAME'>;
  health: () => Promise<HealthReport>;
  /** Learns what is served here. */
  local: LocalMethods;
  metrics: CallMetrics;
}

/** A service's gRPC server: what Nest makes it of, its health, and its end. */
export class GrpcEndpoint {
  private readonly health: GrpcHealth;
  private server: Server | undefined;

  constructor(private readonly options: GrpcEndpointOptions) {
    this.health = new GrpcHealth({ services: Object.keys(options.services), health: options.health });
  }

  /** Nest's gRPC server on generated service definitions, without .proto files at run time. */
  get nestOptions(): CustomStrategy {
    const { name, url, services, credentials, config, local, metrics } = this.options;
    const packages = new Set(Object.keys(services).map((fullName) => fullName.slice(0, fullName.lastIndexOf('.'))));
    const strategy = new PlainGrpcServer({
      url,
      credentials,
      package: [...packages],
      packageDefinition: services,
      gracefulShutdown: true,
      channelOptions: serverChannelOptions(config),
      onLoadPackageDefinition: (_definition: unknown, server: Server) => {
        this.server = server;
        local.watch(server);
        server.addService(health.HealthService, this.health.implementation);
        observeCalls(server, name, metrics);
      },
    });
    return { strategy };
  }

  /** Takes no more connections and calls, tells the clients (GOAWAY), and gives the calls that run so long to end. */
  async drain(graceMs: number): Promise<void> {
    this.health.drain();
    const { server } = this;
    if (!server) return;
    const ownCalls = this.options.local.drain(graceMs);
    const late = setTimeout(() => server.forceShutdown(), graceMs);
    await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    clearTimeout(late);
    await ownCalls;
  }
}
