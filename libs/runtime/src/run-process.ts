import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Client } from '@grpc/grpc-js';
import { OutboxRelay, type EventBus } from '@parlance/event-bus';
import {
  answerLocally,
  checkHealth,
  ConfigError,
  createMetrics,
  inService,
  keepMemorySettings,
  Lifecycle,
  readConfig,
  startTracing,
  systemClock,
  toAppError,
  ulidGenerator,
  type ConfigShape,
  type HealthCheck,
  type HealthReport,
  type Logger,
} from '@parlance/platform';
import { fromSqliteError } from '@parlance/platform/sqlite';
import type { MediaStore } from '@parlance/storage';
import { collectDefaultMetrics } from 'prom-client';
import { lockDataFolder } from './data-folder-lock.js';
import { clientTrace } from './grpc/client-trace.js';
import { connectionLog } from './grpc/connection-log.js';
import { grpcTarget, prepareSocket } from './grpc/grpc-addresses.js';
import { clientChannelOptions } from './grpc/grpc-channel-options.js';
import { GrpcEndpoint } from './grpc/grpc-endpoint.js';
import { grpcSecurity, type GrpcSecurity } from './grpc/grpc-tls.js';
import { LocalMethods } from './grpc/local-methods.js';
import { startHealthServer } from './health-server.js';
import { CallMetrics } from './metrics/call-metrics.js';
import { EventMetrics } from './metrics/event-metrics.js';
import { isEmbedded, modelsFolder, openBus, openDocuments, openMedia, openSearch, portUrls, shutdownTimes, type PortDependencies } from './open-ports.js';
import { processConfig } from './process-config.js';
import { untilMediaAnswers } from './reachable-media.js';
import { ServiceIntake } from './service-intake.js';
import type { AnyServiceManifest, ClientConstructor, ServiceContext, ServiceName } from './service-manifest.js';
import { startApplication, type StartedService } from './start-application.js';

export interface ProcessOptions {
  env: Record<string, string | undefined>;
  log: Logger;
}

export interface RunningProcess {
  /** Of the service with a public HTTP server, when this process runs it. */
  url: string | undefined;
  /** A client of any service, in this process or another. */
  connect: ServiceContext['connect'];
  /** Of its services; closed with them. */
  bus: EventBus;
  health(): Promise<HealthReport>;
  /** Milliseconds that `close` may take before a process that was told to stop leaves anyway. */
  shutdownGraceMs: number;
  /** Stops taking, lets what runs finish or hands it back, closes in reverse order of start. */
  close(): Promise<void>;
}

/** The consumers have had their half before; what is behind the answers needs the rest. */
const CALLS_PART_OF_GRACE = 1 / 4;

/**
 * Runs the given services in this process: one of them in a pod, all seven on a laptop.
 * Which adapters they get is decided here, by the configured URLs, and nowhere else.
 * @throws ConfigError before anything is started.
 */
export async function runProcess(manifests: readonly AnyServiceManifest[], options: ProcessOptions): Promise<RunningProcess> {
  const { env, log } = options;
  keepMemorySettings();
  const shapes: ConfigShape[] = [processConfig, ...manifests.map((manifest) => manifest.config as ConfigShape)];
  const config = readConfig(Object.assign({}, ...shapes) as typeof processConfig, {
    env,
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  const problems = manifests.flatMap((manifest) => manifest.configProblems?.(config as ServiceContext['config']) ?? []);
  if (problems.length > 0) throw new ConfigError(problems);

  const lifecycle = new Lifecycle(log);
  try {
    return await new ProcessStart(manifests, config, lifecycle, log).start();
  } catch (error) {
    await lifecycle.close();
    if (toAppError(fromSqliteError(error)).code !== 'storage_full') throw error;
    throw new ConfigError([`The storage is full (PARLANCE_DATA is ${resolve(config.PARLANCE_DATA)}): make room and start again.`]);
  }
}

type ProcessConfig = { [K in keyof typeof processConfig]: (typeof processConfig)[K]['_output'] };

class ProcessStart {
  private readonly metrics = createMetrics();
  private readonly callMetrics = new CallMetrics(this.metrics);
  private readonly eventMetrics = new EventMetrics(this.metrics, systemClock);
  private readonly clients: Client[] = [];
  /** What this process serves, for its own calls. */
  private readonly local: ReadonlyMap<ServiceName, LocalMethods>;
  private readonly services: StartedService[] = [];
  private readonly dependencies: PortDependencies;
  private readonly security: GrpcSecurity;
  private readonly dataFolder: string;
  private readonly shutdownGraceMs: number;
  private portChecks: HealthCheck[] = [];
  private readonly intake: ServiceIntake;
  private ready = false;

  constructor(
    private readonly manifests: readonly AnyServiceManifest[],
    private readonly config: ProcessConfig,
    private readonly lifecycle: Lifecycle,
    private readonly log: Logger,
  ) {
    this.local = new Map(manifests.map(({ name }) => [name, new LocalMethods()]));
    this.dependencies = { clock: systemClock, ids: ulidGenerator(), log };
    this.intake = new ServiceIntake(this.eventMetrics, log);
    this.security = grpcSecurity(config, systemClock.now());
    this.dataFolder = resolve(config.PARLANCE_DATA);
    this.shutdownGraceMs = config.SHUTDOWN_GRACE_SECONDS * 1000;
  }

  async start(): Promise<RunningProcess> {
    collectDefaultMetrics({ register: this.metrics });
    // Closed last: whatever ends before may have spans to send.
    this.lifecycle.onClose('tracing', await startTracing(this.config, this.log));
    const { bus, media } = await this.openSharedPorts();
    for (const manifest of this.manifests) await inService(manifest.name, () => this.startService(manifest, bus, media));
    await this.startHealth();
    this.lifecycle.onClose('intake', () => this.intake.close());
    await this.intake.consume(this.services, bus);
    const url = await this.intake.listen(this.services, this.shutdownGraceMs / 2);
    this.ready = true;
    this.log.info({ services: this.manifests.map(({ name }) => name), url }, 'ready');
    return {
      url,
      connect: (service, client) => this.connect(service, client),
      bus,
      health: () => this.health(),
      shutdownGraceMs: this.shutdownGraceMs,
      close: () => {
        this.ready = false;
        return this.lifecycle.close();
      },
    };
  }

  private async openSharedPorts(): Promise<{ bus: EventBus; media: MediaStore }> {
    const urls = portUrls(this.config);
    if (isEmbedded(urls, this.manifests.map(({ name }) => name))) {
      await mkdir(this.dataFolder, { recursive: true, mode: 0o700 });
      const unlock = lockDataFolder(this.dataFolder);
      this.lifecycle.onClose('data folder lock', async () => unlock());
    }
    const bus = await openBus(urls, this.dependencies, shutdownTimes(this.config.SHUTDOWN_GRACE_SECONDS));
    this.lifecycle.onClose('event bus', () => bus.close());
    const media = await openMedia(urls);
    const closing = new AbortController();
    this.lifecycle.onClose('watch for the media store', async () => closing.abort());
    void untilMediaAnswers(media, this.dependencies.log, closing.signal);
    this.lifecycle.onClose('gRPC clients', async () => this.clients.forEach((client) => client.close()));
    this.portChecks = [
      { name: 'event_bus', check: () => bus.check() },
      { name: 'media_store', check: () => media.check() },
    ];
    return { bus, media };
  }

  private async startService(manifest: AnyServiceManifest, bus: EventBus, media: MediaStore): Promise<void> {
    const { name } = manifest;
    const documents = await openDocuments(portUrls(this.config), name, this.dependencies);
    this.lifecycle.onClose(`${name} documents`, () => documents.close());
    const onPublished = this.eventMetrics.published.bind(this.eventMetrics, name);
    const relay = new OutboxRelay({ outbox: documents.outbox, bus, log: this.log.child({ service: name }), onPublished });
    relay.start();
    this.lifecycle.onClose(`${name} outbox`, () => relay.close());

    const scratchFolder = join(this.dataFolder, 'scratch', name);
    await rm(scratchFolder, { recursive: true, force: true });
    await mkdir(scratchFolder, { recursive: true, mode: 0o700 });
    const context: ServiceContext = {
      name,
      config: this.config as ServiceContext['config'],
      log: this.log.child({ service: name }),
      metrics: this.metrics,
      documents,
      media,
      bus,
      clock: this.dependencies.clock,
      ids: this.dependencies.ids,
      scratchFolder,
      modelsFolder: modelsFolder(this.config),
      openSearch: (dimensions) => openSearch(portUrls(this.config), dimensions, this.dependencies),
      health: () => this.health(),
      connect: (service, client) => this.connect(service, client),
    };
    const endpoint = await this.endpointOf(manifest);
    const app = await startApplication(manifest, context, endpoint);
    this.lifecycle.onClose(name, () => app.close());
    this.lifecycle.onClose(`${name} gRPC`, () => endpoint.drain(this.shutdownGraceMs * CALLS_PART_OF_GRACE));
    this.services.push({ manifest, app, context });
  }

  private async endpointOf({ name, grpc }: AnyServiceManifest): Promise<GrpcEndpoint> {
    const target = grpcTarget(name, this.config, this.dataFolder);
    const url = target.startsWith('unix:') ? target : (this.config.GRPC_LISTEN ?? '0.0.0.0:50051');
    await prepareSocket(url);
    const credentials = this.security.server(url);
    const local = this.local.get(name) ?? new LocalMethods();
    return new GrpcEndpoint({ name, url, services: grpc, credentials, config: this.config, health: () => this.health(), local, metrics: this.callMetrics });
  }

  private async startHealth(): Promise<void> {
    if (this.config.HEALTH_PORT === undefined) return;
    const server = await startHealthServer({
      host: this.config.HEALTH_HOST,
      port: this.config.HEALTH_PORT,
      metrics: this.metrics,
      health: () => this.health(),
    });
    this.lifecycle.onClose('health server', () => server.close());
  }

  private connect<C extends Client>(service: ServiceName, client: ClientConstructor<C>): C {
    const target = grpcTarget(service, this.config, this.dataFolder);
    // A service that has an address may have other replicas there.
    const local = target.startsWith('unix:') ? this.local.get(service) : undefined;
    const connected = new client(target, this.security.client(target), {
      ...clientChannelOptions(this.config),
      interceptors: [clientTrace(), connectionLog(service, this.log)],
    });
    if (local) answerLocally(connected, local.call.bind(local));
    this.clients.push(connected);
    return connected;
  }

  private health(): Promise<HealthReport> {
    const checks = this.services.flatMap(({ manifest, app, context }) => [
      { name: `${manifest.name}_documents`, check: () => context.documents.check() },
      ...(manifest.health?.(app) ?? []),
    ]);
    const started: HealthCheck = {
      name: 'started',
      check: async () => {
        if (!this.ready) throw new Error('starting or stopping');
      },
    };
    return checkHealth([started, ...this.portChecks, ...checks]);
  }
}
