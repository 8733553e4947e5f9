import type { DynamicModule, INestApplication, INestApplicationContext } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { Client, ServiceDefinition } from '@grpc/grpc-js';
import type { Consumer, EventBus, Follower } from '@parlance/event-bus';
import type { Clock, ConfigOf, ConfigShape, HealthCheck, HealthReport, IdGenerator, Logger, Metrics } from '@parlance/platform';
import type { SearchIndex } from '@parlance/search-index';
import type { DocumentDatabase, MediaStore } from '@parlance/storage';

export const SERVICE_NAMES = [
  'gateway',
  'ingest',
  'transcription',
  'diarization',
  'summary',
  'search',
  'webhook-dispatcher',
] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

/** A generated grpc-js client class, for instance `ingest.JobServiceClient`. */
export interface ClientConstructor<C extends Client> {
  new (...args: ConstructorParameters<typeof Client>): C;
}

/** What the root gives a service: its own settings and database, the shared ports, the way to the other services. */
export interface ServiceContext<S extends ConfigShape = ConfigShape> {
  name: ServiceName;
  config: ConfigOf<S>;
  log: Logger;
  metrics: Metrics;
  /** This service's own; nobody else reads it. */
  documents: DocumentDatabase;
  media: MediaStore;
  /** For dead letters, erasures and health; events are published by the outbox relay alone. */
  bus: EventBus;
  clock: Clock;
  ids: IdGenerator;
  /** An empty folder of this service's own for files on the way; cleared at each start. */
  scratchFolder: string;
  /** Where the models of MODELS_FOLDER are; only read. */
  modelsFolder: string;
  /** For the service that searches, which closes it. @param dimensions of the embeddings */
  openSearch(dimensions: number): Promise<SearchIndex>;
  /** Health of the whole process, what `/health/ready` answers. */
  health(): Promise<HealthReport>;
  /** A client of another service; closed by the runtime. */
  connect<C extends Client>(service: ServiceName, client: ClientConstructor<C>): C;
}

/** All a process needs to know to run a service. */
export interface ServiceManifest<S extends ConfigShape = ConfigShape> {
  name: ServiceName;
  /** The settings it reads from the environment. */
  config: S;
  /** What is wrong with its settings together, a line each; each by itself is right. */
  configProblems?(config: ConfigOf<S>): string[];
  /** The Nest module, wired from the context. */
  module(context: ServiceContext<S>): DynamicModule;
  /** gRPC services that the module's `@GrpcMethod(serviceName, 'lowerCamel')` handlers serve. */
  grpc: Record<string, ServiceDefinition>;
  /** Event types it handles, by topic and group; what `consumers` returns must agree (tested). */
  consumers(app: INestApplicationContext): Consumer[];
  followers?(app: INestApplicationContext): Follower[];
  health?(app: INestApplicationContext): HealthCheck[];
  /** The gateway's public HTTP server; other services have only health and metrics. */
  http?: HttpServerDefinition<S>;
}

export interface HttpServerDefinition<S extends ConfigShape> {
  /** The Fastify adapter the Nest application is made with; limits and hooks are set on it here. */
  adapter(context: ServiceContext<S>): AbstractHttpAdapter;
  /** Listens; called last, after every consumer and gRPC server of the process is ready. */
  listen(app: INestApplication, context: ServiceContext<S>): Promise<HttpListener>;
}

export interface HttpListener {
  url: string;
  /** Called first of all: takes no more, lets the answers on their way end, and cuts off what has not after `limitMs`. */
  close(limitMs: number): Promise<void>;
}

/** Manifests of different settings in one list. */
export type AnyServiceManifest = ServiceManifest;
