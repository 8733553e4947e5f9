import 'reflect-metadata';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client, type Interceptor } from '@grpc/grpc-js';
import type { INestApplication } from '@nestjs/common';
import type { CustomStrategy } from '@nestjs/microservices';
import { keys as keyContracts, type ServiceDefinition } from '@parlance/contracts';
import { OutboxRelay, type EventBus } from '@parlance/event-bus';
import {
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
import type { DocumentKeys, KeyRecords, MediaStore } from '@parlance/storage';
import type { TaskQueue } from '@parlance/task-queue';
import { collectDefaultMetrics } from 'prom-client';
import { markCleanStop, takeCleanStop } from './clean-stop.js';
import { lockDataFolder } from './data-folder-lock.js';
import { clientTrace } from './grpc/client-trace.js';
import { connectionLog } from './grpc/connection-log.js';
import { grpcListenAddress, grpcTarget, prepareSocket } from './grpc/grpc-addresses.js';
import { clientChannelOptions } from './grpc/grpc-channel-options.js';
import { GrpcTransport } from './grpc/grpc-transport.js';
import { grpcSecurity, type GrpcSecurity } from './grpc/grpc-tls.js';
import { sendToken, unguardedGrpc } from './grpc/grpc-token.js';
import { startHealthServer } from './health-server.js';
import { keyService, ServedKeyRecords } from './keys/key-service.js';
import { keyConfigProblems, keyProviderSetting, sealsMedia } from './keys/key-config.js';
import { openOwnKeys, openServedKeys } from './keys/open-keys.js';
import { CallMetrics } from './metrics/call-metrics.js';
import { EventMetrics } from './metrics/event-metrics.js';
import { TaskMetrics } from './metrics/task-metrics.js';
import { isEmbedded, isOwnDisk, modelsFolder, openBus, openDocuments, openMedia, openSearch, openTasks, portUrls, scratchFolder, shutdownTimes, type PortDependencies } from './open-ports.js';
import { processConfig } from './process-config.js';
import { awsEndpoints, plainConnections } from './tls/plain-connections.js';
import { ProcessHealth } from './process-health.js';
import { untilMediaAnswers } from './reachable-media.js';
import { ServiceIntake } from './service-intake.js';
import type { AnyServiceManifest, Connect, ServiceContext, ServiceName } from './service-manifest.js';
import { grpcPort } from './services/grpc-port.js';
import { LocalService } from './services/local-port.js';
import { ServedService } from './services/served-service.js';
import { startApplication, type StartedService } from './start-application.js';

export interface ProcessOptions {
  env: Record<string, string | undefined>;
  log: Logger;
  /** Makes the master key of KEY_PROVIDER at the first start, where the provider can. */
  createMasterKey?: boolean;
  /** Completes the start once everything listens. The process reports ready only after this has resolved. */
  prepare?: (process: RunningProcess) => Promise<void>;
}

export interface RunningProcess {
  /** The URL of the public HTTP server, when this process runs the gateway. */
  url: string | undefined;
  /** Connects to any service, in this process or another. */
  connect: Connect;
  /** The event bus of its services; closed with them. */
  bus: EventBus;
  health(): Promise<HealthReport>;
  /** Milliseconds that `close` may take before a stopping process exits anyway. */
  shutdownGraceMs: number;
  /** Accepts no more work, lets running work finish or puts it back, and closes everything in reverse order of start. */
  close(): Promise<void>;
}

/** The service whose process keeps the wrapped keys. */
const KEY_OWNER: ServiceName = 'ingest';

/** The consumers have had their half before; what is behind the answers needs the rest. */
const CALLS_PART_OF_GRACE = 1 / 4;

/**
 * Runs the given services in this process: one of them in a pod, all seven on a laptop.
 * Which adapters they get is decided here, by the configured URLs, and nowhere else.
 * @throws ConfigError before anything is started.
 */
export async function runProcess(manifests: readonly AnyServiceManifest[], options: ProcessOptions): Promise<RunningProcess> {
  const { env, log, prepare, createMasterKey = false } = options;
  keepMemorySettings();
  const shapes: ConfigShape[] = [processConfig, ...manifests.map((manifest) => manifest.config as ConfigShape)];
  const config = readConfig(Object.assign({}, ...shapes) as typeof processConfig, {
    env,
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  const grpcServers = [...new Set(manifests.map(({ name }) => grpcListenAddress(name, config, resolve(config.PARLANCE_DATA))))];
  const problems = [
    ...grpcServers.flatMap((url) => unguardedGrpc(url, config)),
    ...keyConfigProblems(config),
    ...(config.REQUIRE_TLS === 'true' ? plainConnections({ ...config, ...awsEndpoints(env) }, grpcServers) : []),
    ...manifests.flatMap((manifest) => manifest.configProblems?.(config as ServiceContext['config']) ?? []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);

  const lifecycle = new Lifecycle(log);
  try {
    return await new ProcessStart(manifests, config, lifecycle, log, createMasterKey).start(prepare);
  } catch (error) {
    await lifecycle.close();
    if (toAppError(fromSqliteError(error)).code !== 'storage_full') throw error;
    throw new ConfigError([`The storage is full (PARLANCE_DATA is ${resolve(config.PARLANCE_DATA)}): free some space and start again.`]);
  }
}

type ProcessConfig = { [K in keyof typeof processConfig]: (typeof processConfig)[K]['_output'] };

class ProcessStart {
  private readonly metrics = createMetrics();
  private readonly callMetrics = new CallMetrics(this.metrics);
  private readonly eventMetrics = new EventMetrics(this.metrics, systemClock);
  private readonly taskMetrics = new TaskMetrics(this.metrics);
  /** All services share an embedded task queue. */
  private embeddedTasks: TaskQueue | undefined;
  private readonly clients: Client[] = [];
  /** The services of this process, for its own calls. */
  private readonly local: ReadonlyMap<ServiceName, LocalService>;
  private readonly services: StartedService[] = [];
  private readonly dependencies: PortDependencies;
  private readonly security: GrpcSecurity;
  private readonly dataFolder: string;
  private readonly shutdownGraceMs: number;
  /** Undefined where encryption at rest is off. */
  private keys: DocumentKeys | undefined;
  /** Set in the process that runs ingest, which serves them to the others. */
  private keyRecords: KeyRecords | undefined;
  private portChecks: HealthCheck[] = [];
  private readonly intake: ServiceIntake;
  private readonly processHealth: ProcessHealth;
  private ready = false;
  private wasReady = false;
  private afterUncleanStop = false;

  constructor(
    private readonly manifests: readonly AnyServiceManifest[],
    private readonly config: ProcessConfig,
    private readonly lifecycle: Lifecycle,
    private readonly log: Logger,
    private readonly createMasterKey: boolean,
  ) {
    this.local = new Map(manifests.map(({ name }) => [name, new LocalService()]));
    this.dependencies = { clock: systemClock, ids: ulidGenerator(), log, durability: config.DURABILITY };
    this.intake = new ServiceIntake(this.eventMetrics, this.taskMetrics, log);
    this.processHealth = new ProcessHealth({
      isStarted: () => this.ready,
      own: () => this.checks(true),
      servers: () => this.checks(false),
      readsWithout: () => this.portChecks.map(({ name }) => name),
      details: () => this.details(),
      metrics: this.metrics,
    });
    this.security = grpcSecurity(config, systemClock.now());
    this.dataFolder = resolve(config.PARLANCE_DATA);
    this.shutdownGraceMs = config.SHUTDOWN_GRACE_SECONDS * 1000;
  }

  async start(prepare: ProcessOptions['prepare']): Promise<RunningProcess> {
    collectDefaultMetrics({ register: this.metrics });
    // Closed last: parts that close earlier may still have spans to send.
    this.lifecycle.onClose('tracing', await startTracing(this.config, this.log));
    await this.openDataFolder();
    await this.openKeys();
    const { bus, media } = await this.openSharedPorts();
    for (const manifest of this.manifests) await inService(manifest.name, () => this.startService(manifest, bus, media));
    await this.startHealth();
    this.lifecycle.onClose('intake', () => this.intake.close());
    await this.intake.work(this.services);
    await this.intake.consume(this.services, bus);
    const url = await this.intake.listen(this.services, this.shutdownGraceMs / 2);
    const running = this.runningProcess(url, bus);
    await prepare?.(running);
    this.ready = true;
    this.processHealth.watch();
    this.lifecycle.onClose('health watch', async () => this.processHealth.close());
    this.wasReady = true;
    this.log.info({ services: this.manifests.map(({ name }) => name), url }, 'ready');
    return running;
  }

  private runningProcess(url: string | undefined, bus: EventBus): RunningProcess {
    return {
      url,
      connect: this.connect,
      bus,
      health: () => this.processHealth.ready(),
      shutdownGraceMs: this.shutdownGraceMs,
      close: () => {
        this.ready = false;
        return this.lifecycle.close();
      },
    };
  }

  /** Locks the folder where this process alone may use it. */
  private async openDataFolder(): Promise<void> {
    if (!isEmbedded(portUrls(this.config), this.manifests.map(({ name }) => name))) return;
    await mkdir(this.dataFolder, { recursive: true, mode: 0o700 });
    const unlock = lockDataFolder(this.dataFolder);
    this.lifecycle.onClose('data folder lock', async () => unlock());
    this.afterUncleanStop = !(await takeCleanStop(this.dataFolder));
    this.lifecycle.onClose('data folder', () => this.markCleanStop());
  }

  private async openSharedPorts(): Promise<{ bus: EventBus; media: MediaStore }> {
    const urls = portUrls(this.config);
    const bus = await openBus(urls, this.dependencies, shutdownTimes(this.config.SHUTDOWN_GRACE_SECONDS));
    this.lifecycle.onClose('event bus', () => bus.close());
    if (isOwnDisk(urls.tasks)) this.embeddedTasks = await this.openTaskQueue('tasks', { isOwner: true });
    const media = await openMedia(urls, this.keys, { onlyMarked: !sealsMedia(this.config) });
    if (this.usesMedia) this.watchForMedia(media);
    this.lifecycle.onClose('gRPC clients', async () => this.clients.forEach((client) => client.close()));
    this.portChecks = [
      { name: 'event_bus', check: () => bus.check() },
      ...(this.embeddedTasks ? [{ name: 'task_queue', check: async () => this.embeddedTasks?.check() }] : []),
      ...(this.usesMedia ? [{ name: 'media_store', check: () => media.check() }] : []),
    ];
    return { bus, media };
  }

  /** The wrapped keys are with ingest, which erases jobs; a process without it reads them from there. */
  private async openKeys(): Promise<void> {
    const setting = keyProviderSetting(this.config);
    if (setting === undefined) {
      // `none` says that the operator knows.
      if (this.config.KEY_PROVIDER === undefined) this.log.warn('KEY_PROVIDER is not set: stored transcripts and other content are not encrypted by Parlance');
      if (existsSync(join(this.dataFolder, 'documents', 'keys.db'))) this.log.warn('PARLANCE_DATA has keys of encrypted documents and media, which cannot be read: KEY_PROVIDER is none, or not set');
      return;
    }
    const cacheMs = this.config.KEY_CACHE_SECONDS * 1000;
    if (!this.manifests.some(({ name }) => name === KEY_OWNER)) {
      this.keys = await openServedKeys(new ServedKeyRecords(this.connect(KEY_OWNER, keyContracts.KeyServiceDefinition)), setting, { clock: this.dependencies.clock, cacheMs });
      return;
    }
    const { keys, records, close } = await openOwnKeys(portUrls(this.config), setting, this.dependencies, { create: this.createMasterKey, waitForService: true, cacheMs });
    this.lifecycle.onClose('keys', close);
    this.keys = keys;
    this.keyRecords = records;
  }

  private get usesMedia(): boolean {
    return this.manifests.some(({ usesMedia }) => usesMedia === true);
  }

  private watchForMedia(media: MediaStore): void {
    const closing = new AbortController();
    this.lifecycle.onClose('watch for the media store', async () => closing.abort());
    void untilMediaAnswers(media, this.dependencies.log, closing.signal);
  }

  /** Marks the stop as clean, except after a failed start, which has not repaired what an unclean stop left, and after a failed disk, whose last commits may be lost. */
  private async markCleanStop(): Promise<void> {
    if (this.lifecycle.hasFailed || (this.afterUncleanStop && !this.wasReady)) return;
    await markCleanStop(this.dataFolder);
  }

  private async startService(manifest: AnyServiceManifest, bus: EventBus, media: MediaStore): Promise<void> {
    const { name } = manifest;
    const documents = await openDocuments(portUrls(this.config), name, this.dependencies, this.keys);
    this.lifecycle.onClose(`${name} documents`, () => documents.close());
    const onPublished = this.eventMetrics.published.bind(this.eventMetrics, name);
    const relay = new OutboxRelay({ outbox: documents.outbox, bus, log: this.log.child({ service: name }), onPublished });
    relay.start();
    this.lifecycle.onClose(`${name} outbox`, () => relay.close());

    const tasks = this.embeddedTasks ?? (await this.openTaskQueue(`${name} tasks`, { service: name }));

    const scratch = scratchFolder(this.config, name);
    await rm(scratch, { recursive: true, force: true });
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const context: ServiceContext = {
      name,
      config: this.config as ServiceContext['config'],
      log: this.log.child({ service: name }),
      metrics: this.metrics,
      documents,
      keys: this.keys,
      media,
      bus,
      tasks,
      clock: this.dependencies.clock,
      ids: this.dependencies.ids,
      afterUncleanStop: this.afterUncleanStop,
      scratchFolder: scratch,
      modelsFolder: modelsFolder(this.config),
      openSearch: (dimensions) => openSearch(portUrls(this.config), dimensions, this.dependencies),
      health: () => this.processHealth.ready(),
      dependencies: () => this.processHealth.dependencies(),
      hasHealthServer: this.config.HEALTH_PORT !== undefined,
      connect: this.connect,
    };
    const app = await startApplication(manifest, context);
    this.lifecycle.onClose(name, () => app.close());
    await this.serve(manifest, app);
    this.services.push({ manifest, app, context });
  }

  /** Serves callers in other processes and in this one. */
  private async serve({ name, serves }: AnyServiceManifest, app: INestApplication): Promise<void> {
    const url = grpcListenAddress(name, this.config, this.dataFolder);
    await prepareSocket(url);
    const options = { service: name, metrics: this.callMetrics, log: this.log.child({ service: name }) };
    const ofKeys = name === KEY_OWNER && this.keyRecords ? [keyService(this.keyRecords)] : [];
    const services = [...(serves?.(app) ?? []), ...ofKeys].map((implementation) => new ServedService(implementation, options));
    const local = this.local.get(name);
    for (const service of services) local?.serve(service);
    const transport = new GrpcTransport({
      url,
      services,
      credentials: this.security.server(url),
      // Only its owner can open a socket.
      token: url.startsWith('unix:') ? undefined : this.config.GRPC_TOKEN,
      config: this.config,
      health: () => this.processHealth.ready(),
    });
    const graceMs = this.shutdownGraceMs * CALLS_PART_OF_GRACE;
    this.lifecycle.onClose(`${name} gRPC`, async () => void (await Promise.all([local?.drain(graceMs), transport.drain(graceMs)])));
    app.connectMicroservice<CustomStrategy>({ strategy: transport });
    await app.startAllMicroservices();
  }

  private async openTaskQueue(name: string, options: { service?: ServiceName; isOwner?: boolean }): Promise<TaskQueue> {
    const times = shutdownTimes(this.config.SHUTDOWN_GRACE_SECONDS);
    const tasks = await openTasks(portUrls(this.config), this.dependencies, { ...times, ...options, observer: this.taskMetrics, maxTakeOvers: this.config.TASK_MAX_TAKE_OVERS });
    this.lifecycle.onClose(name, () => tasks.close());
    return tasks;
  }

  private async startHealth(): Promise<void> {
    if (this.config.HEALTH_PORT === undefined) return;
    const server = await startHealthServer({
      host: this.config.HEALTH_HOST,
      port: this.config.HEALTH_PORT,
      metrics: this.metrics,
      health: () => this.processHealth.ready(),
      dependencies: () => this.processHealth.dependencies(),
    });
    this.lifecycle.onClose('health server', () => server.close());
  }

  private tokenFor(target: string): Interceptor[] {
    const { GRPC_TOKEN: token } = this.config;
    return token === undefined || target.startsWith('unix:') ? [] : [sendToken(token)];
  }

  private readonly connect: Connect = (service, definition) => {
    const target = grpcTarget(service, this.config, this.dataFolder);
    // A service with a configured address may have other replicas there.
    const local = target.startsWith('unix:') ? this.local.get(service) : undefined;
    return local ? local.port(definition) : grpcPort(definition, this.open(service, target, definition));
  };

  private open(service: ServiceName, target: string, definition: ServiceDefinition): Client {
    const client = new Client(target, this.security.client(target), {
      ...clientChannelOptions(this.config, definition),
      interceptors: [...this.tokenFor(target), clientTrace(), connectionLog(service, this.log)],
    });
    this.clients.push(client);
    return client;
  }

  /** @param own true for the checks of files of this process, false for those of servers */
  private checks(own: boolean): HealthCheck[] {
    const { bus, tasks, documents, media, search } = portUrls(this.config);
    const ofServices = this.services.flatMap(({ manifest, app, context }) => [
      ...(isOwnDisk(documents) === own ? [{ name: `${manifest.name}_documents`, check: () => context.documents.check() }] : []),
      ...(!isOwnDisk(tasks) && !own ? [{ name: `${manifest.name}_tasks`, check: () => context.tasks.check() }] : []),
      ...(isOwnDisk(search) === own ? (manifest.health?.(app) ?? []) : []),
    ]);
    const urls: Record<string, string> = { event_bus: bus, task_queue: tasks, media_store: media };
    const shared = this.portChecks.filter(({ name }) => isOwnDisk(urls[name] ?? '') === own);
    return [...shared, ...ofServices];
  }

  private details(): Record<string, string> {
    return Object.assign({}, ...this.services.map(({ manifest, app }) => manifest.healthDetails?.(app) ?? {})) as Record<string, string>;
  }
}
