import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { credentials, type Client } from '@grpc/grpc-js';
import type { INestApplication, INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OutboxRelay, type EventBus } from '@parlance/event-bus';
import {
  checkHealth,
  createMetrics,
  Lifecycle,
  readConfig,
  systemClock,
  ulidGenerator,
  type ConfigShape,
  type HealthCheck,
  type HealthReport,
  type Logger,
} from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import { collectDefaultMetrics } from 'prom-client';
import { lockDataFolder } from './data-folder-lock.js';
import { grpcTarget, prepareSocket } from './grpc/grpc-addresses.js';
import { GrpcExceptionFilter } from './grpc/grpc-exception-filter.js';
import { grpcServerOptions, MAX_MESSAGE_BYTES } from './grpc/grpc-server-options.js';
import { startHealthServer } from './health-server.js';
import { nestLogger } from './nest-logger.js';
import { isEmbedded, openBus, openDocuments, openMedia, portUrls, type PortDependencies } from './open-ports.js';
import { processConfig } from './process-config.js';
import type { AnyServiceManifest, ClientConstructor, ServiceContext, ServiceName } from './service-manifest.js';

export interface ProcessOptions {
  env: Record<string, string | undefined>;
  log: Logger;
}

export interface RunningProcess {
  /** Of the service with a public HTTP server, when this process runs it. */
  url: string | undefined;
  /** A client of any service, in this process or another. */
  connect: ServiceContext['connect'];
  health(): Promise<HealthReport>;
  /** Milliseconds that `close` may take before a process that was told to stop leaves anyway. */
  shutdownGraceMs: number;
  /** Stops taking, lets what runs finish or hands it back, closes in reverse order of start. */
  close(): Promise<void>;
}

interface StartedService {
  manifest: AnyServiceManifest;
  app: INestApplication | INestMicroservice;
  context: ServiceContext;
}

/**
 * Runs the given services in this process: one of them in a pod, all seven on a laptop.
 * Which adapters they get is decided here, by the configured URLs, and nowhere else.
 * @throws ConfigError before anything is started.
 */
export async function runProcess(manifests: readonly AnyServiceManifest[], options: ProcessOptions): Promise<RunningProcess> {
  const { env, log } = options;
  const shapes: ConfigShape[] = [processConfig, ...manifests.map((manifest) => manifest.config as ConfigShape)];
  const config = readConfig(Object.assign({}, ...shapes) as typeof processConfig, {
    env,
    readFile: (path) => readFileSync(path, 'utf8'),
  });

  const lifecycle = new Lifecycle(log);
  try {
    return await new ProcessStart(manifests, config, lifecycle, log).start();
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

type ProcessConfig = { [K in keyof typeof processConfig]: (typeof processConfig)[K]['_output'] };

class ProcessStart {
  private readonly metrics = createMetrics();
  private readonly clients: Client[] = [];
  private readonly services: StartedService[] = [];
  private readonly dependencies: PortDependencies;
  private readonly dataFolder: string;
  private portChecks: HealthCheck[] = [];
  private ready = false;

  constructor(
    private readonly manifests: readonly AnyServiceManifest[],
    private readonly config: ProcessConfig,
    private readonly lifecycle: Lifecycle,
    private readonly log: Logger,
  ) {
    this.dependencies = { clock: systemClock, ids: ulidGenerator(), log };
    this.dataFolder = resolve(config.PARLANCE_DATA);
  }

  async start(): Promise<RunningProcess> {
    collectDefaultMetrics({ register: this.metrics });
    const { bus, media } = await this.openSharedPorts();
    for (const manifest of this.manifests) await this.startService(manifest, bus, media);
    for (const service of this.services) await this.consume(service, bus);
    await this.startHealth();
    const url = await this.listen();
    this.ready = true;
    this.log.info({ services: this.manifests.map(({ name }) => name), url }, 'ready');
    return {
      url,
      connect: (service, client) => this.connect(service, client),
      health: () => this.health(),
      shutdownGraceMs: this.config.SHUTDOWN_GRACE_SECONDS * 1000,
      close: () => {
        this.ready = false;
        return this.lifecycle.close();
      },
    };
  }

  private async openSharedPorts(): Promise<{ bus: EventBus; media: MediaStore }> {
    const urls = portUrls(this.config);
    if (isEmbedded(urls)) {
      await mkdir(this.dataFolder, { recursive: true, mode: 0o700 });
      const unlock = lockDataFolder(this.dataFolder);
      this.lifecycle.onClose('data folder lock', async () => unlock());
    }
    const bus = await openBus(urls, this.dependencies);
    this.lifecycle.onClose('event bus', () => bus.close());
    const media = await openMedia(urls);
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
    const relay = new OutboxRelay({ outbox: documents.outbox, bus, log: this.log.child({ service: name }) });
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
      health: () => this.health(),
      connect: (service, client) => this.connect(service, client),
    };
    const app = await this.startApplication(manifest, context);
    this.lifecycle.onClose(name, () => app.close());
    this.services.push({ manifest, app, context });
  }

  private async startApplication(manifest: AnyServiceManifest, context: ServiceContext): Promise<INestApplication | INestMicroservice> {
    const target = grpcTarget(manifest.name, this.config, this.dataFolder);
    const listenOn = target.startsWith('unix:') ? target : (this.config.GRPC_LISTEN ?? '0.0.0.0:50051');
    await prepareSocket(listenOn);
    const grpc = grpcServerOptions(listenOn, manifest.grpc);
    const module = manifest.module(context);
    const settings = { logger: nestLogger(context.log), abortOnError: false };
    const filter = new GrpcExceptionFilter(context.log);
    if (manifest.http) {
      const app = await NestFactory.create(module, manifest.http.adapter(context), settings);
      app.connectMicroservice(grpc).useGlobalFilters(filter);
      await app.startAllMicroservices();
      return app;
    }
    const app = await NestFactory.createMicroservice(module, { ...grpc, ...settings });
    app.useGlobalFilters(filter);
    await app.listen();
    return app;
  }

  private async consume({ manifest, app }: StartedService, bus: EventBus): Promise<void> {
    for (const consumer of manifest.consumers(app)) {
      const subscription = await bus.subscribe(consumer);
      this.lifecycle.onClose(`${manifest.name} consumer ${consumer.group}`, () => subscription.close());
    }
    for (const follower of manifest.followers?.(app) ?? []) {
      const subscription = await bus.follow(follower);
      this.lifecycle.onClose(`${manifest.name} follower`, () => subscription.close());
    }
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

  private async listen(): Promise<string | undefined> {
    for (const { manifest, app, context } of this.services) {
      if (!manifest.http) continue;
      const { url } = await manifest.http.listen(app as INestApplication, context);
      return url;
    }
    return undefined;
  }

  private connect<C extends Client>(service: ServiceName, client: ClientConstructor<C>): C {
    const target = grpcTarget(service, this.config, this.dataFolder);
    const connected = new client(target, credentials.createInsecure(), {
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    });
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
