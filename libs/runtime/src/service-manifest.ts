import type { DynamicModule, INestApplication, INestApplicationContext, Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { ServiceDefinition, ServicePort } from '@parlance/contracts';
import type { Consumer, EventBus, Follower } from '@parlance/event-bus';
import type { Clock, ConfigOf, ConfigShape, HealthCheck, HealthReport, IdGenerator, Logger, Metrics } from '@parlance/platform';
import type { SearchIndex } from '@parlance/search-index';
import type { DocumentDatabase, MediaStore } from '@parlance/storage';
import type { TaskQueue, TaskWorker } from '@parlance/task-queue';
import type { Implementation } from './services/served-service.js';

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

/** The port of a service: the object itself where this process runs the service, else a gRPC client, which the runtime closes. */
export type Connect = <D extends ServiceDefinition>(service: ServiceName, definition: D) => ServicePort<D>;

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
  /** Work that one worker at a time does. Queues are named after the service, or its stage. */
  tasks: TaskQueue;
  clock: Clock;
  ids: IdGenerator;
  /** The process before this one, on the same data folder, did not stop in order: events may be lost. Never with servers, which keep theirs. */
  afterUncleanStop: boolean;
  /** An empty folder of this service's own for files on the way; cleared at each start. */
  scratchFolder: string;
  /** Where the models of MODELS_FOLDER are; only read. */
  modelsFolder: string;
  /** For the service that searches, which closes it. @param dimensions of the embeddings */
  openSearch(dimensions: number): Promise<SearchIndex>;
  /** Whether the process can serve, what `/health/ready` answers. */
  health(): Promise<HealthReport>;
  /** State of everything that the process uses, what `/health/dependencies` answers. */
  dependencies(): Promise<HealthReport>;
  /** Metrics and the state of servers have a port of their own (HEALTH_PORT), so the public one need not show them. */
  hasHealthServer: boolean;
  connect: Connect;
}

/** All a process needs to know to run a service. */
export interface ServiceManifest<S extends ConfigShape = ConfigShape> {
  name: ServiceName;
  /** The settings it reads from the environment. */
  config: S;
  /** Whether it reads or writes media; the state of their store concerns no process without such a service. */
  usesMedia?: boolean;
  /** What is wrong with its settings together, a line each; each by itself is right. */
  configProblems?(config: ConfigOf<S>): string[];
  /** The Nest module. `ServiceContextModule` provides the context to it. */
  module(context: ServiceContext<S>): Type | DynamicModule;
  /** The gRPC services it serves, to other processes and to callers in its own. */
  serves?(app: INestApplicationContext): Implementation[];
  /** Event types it handles, by topic and group; what `consumers` returns must agree (tested). */
  consumers(app: INestApplicationContext): Consumer[];
  /** Workers of its task queues, started and closed with the consumers. */
  workers?(app: INestApplicationContext): TaskWorker[];
  followers?(app: INestApplicationContext): Follower[];
  health?(app: INestApplicationContext): HealthCheck[];
  /** Facts for `/health/ready` that do not decide its status; public where HEALTH_PORT is empty, so nothing that names a host. */
  healthDetails?(app: INestApplicationContext): Record<string, string>;
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
