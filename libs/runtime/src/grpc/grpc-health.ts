import { Metadata, status, type sendUnaryData, type Server, type ServerUnaryCall, type ServerWritableStream } from '@grpc/grpc-js';
import { health } from '@parlance/contracts';
import type { HealthReport } from '@parlance/platform';
import { grpcMethods } from '../services/grpc-methods.js';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = health.HealthCheckResponse_ServingStatus;
type Status = health.HealthCheckResponse_ServingStatus;
type Check = ServerUnaryCall<health.HealthCheckRequest, health.HealthCheckResponse>;
type Watcher = ServerWritableStream<health.HealthCheckRequest, health.HealthCheckResponse>;

interface GrpcHealthOptions {
  /** Full names of what the server serves; the empty name means the server itself. */
  services: readonly string[];
  /** The report of `/health/ready`. */
  health: () => Promise<HealthReport>;
  /** Milliseconds between two checks for the clients that watch. */
  intervalMs?: number;
}

const DEFAULT_INTERVAL_MS = 2_000;

/** Served without `ServedService`: probes come every few seconds, and are neither traced nor measured. */
export const addHealth = (server: Server, served: GrpcHealth): void =>
  server.addService(grpcMethods(health.HealthDefinition), {
    check: (call: Check, send: sendUnaryData<health.HealthCheckResponse>) => void served.check(call, send),
    watch: (call: Watcher) => served.watch(call),
  });

/** grpc.health.v1.Health: serving while the process is ready, not serving from the moment it drains. */
export class GrpcHealth {
  private readonly watchers = new Map<Watcher, Status | undefined>();
  private timer: NodeJS.Timeout | undefined;
  private draining = false;

  constructor(private readonly options: GrpcHealthOptions) {}

  async check({ request: { service } }: Check, send: sendUnaryData<health.HealthCheckResponse>): Promise<void> {
    const current = await this.statusOf(service).catch(() => NOT_SERVING);
    if (current === SERVICE_UNKNOWN) send({ code: status.NOT_FOUND, details: 'This server has no such service.', metadata: new Metadata() });
    else send(null, { status: current });
  }

  watch(call: Watcher): void {
    this.watchers.set(call, undefined);
    call.once('cancelled', () => this.forget(call));
    this.timer ??= setInterval(() => void this.updateWatchers(), this.options.intervalMs ?? DEFAULT_INTERVAL_MS).unref();
    void this.updateWatchers();
  }

  /** Reports NOT_SERVING to the clients that watch and ends their streams, which would keep the server from closing. */
  drain(): void {
    this.draining = true;
    for (const [call, known] of this.watchers) {
      if (known !== NOT_SERVING) call.write({ status: NOT_SERVING });
      call.end();
      this.forget(call);
    }
  }

  private async updateWatchers(): Promise<void> {
    for (const [call, known] of this.watchers) {
      const current = await this.statusOf(call.request.service).catch(() => NOT_SERVING);
      if (!this.watchers.has(call) || this.watchers.get(call) !== known || current === known) continue;
      this.watchers.set(call, current);
      call.write({ status: current });
    }
  }

  private async statusOf(service: string): Promise<Status> {
    if (service !== '' && !this.options.services.includes(service)) return SERVICE_UNKNOWN;
    if (this.draining) return NOT_SERVING;
    return (await this.options.health()).status === 'ok' ? SERVING : NOT_SERVING;
  }

  private forget(call: Watcher): void {
    this.watchers.delete(call);
    if (this.watchers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
