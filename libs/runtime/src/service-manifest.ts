import type { DynamicModule, INestApplication, INestApplicationContext, Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { ServiceDefinition, ServicePort } from '@parlance/contracts';
import type { Consumer, EventBus, Follower } from '@parlance/event-bus';
import type { Clock, ConfigOf, ConfigShape, HealthCheck, HealthReport, IdGenerator, Logger, Metrics } from '@parlance/platform';
import type { SearchIndex } from '@parlance/search-index';
import type { DataKeys, DocumentDatabase, MediaStore } from '@parlance/storage';
import type { TaskQueue, TaskWorker } from '@parlance/task-queue';
import type { Implementation } from './services/implementation.js';

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

/** Everything that the root provides to a service: its settings and database, the shared ports, and ports of the other services. */
export interface ServiceContext<S extends ConfigShape = ConfigShape> {
  name: ServiceName;
  config: ConfigOf<S>;
  log: Logger;
  metrics: Metrics;
  /** The database of this service; no other service reads it. */
  documents: DocumentDatabase;
  /** The keys that seal stored data; undefined where encryption at rest is off. */
  keys?: DataKeys | undefined;
  media: MediaStore;
  /** For dead letters, erasures and health; events are published by the outbox relay alone. */
  bus: EventBus;
  /** The task queue, whose tasks one worker at a time performs. Queues are named after the service, or its stage. */
  tasks: TaskQueue;
  clock: Clock;
  ids: IdGenerator;
  /** True when the previous process on the same data folder did not stop cleanly, so that events may be lost. Always false with servers. */
  afterUncleanStop: boolean;
  /** The folder for temporary files of this service; emptied at each start. */
  scratchFolder: string;
  /** The folder of MODELS_FOLDER; services only read it. */
  modelsFolder: string;
  /** Opens the index for `search`, which closes it. @param dimensions of the embeddings */
  openSearch(dimensions: number): Promise<SearchIndex>;
  /** The report of `/health/ready`: ok when the process can serve. */
  health(): Promise<HealthReport>;
  /** The report of `/health/dependencies`: the state of everything that the process uses. */
  dependencies(): Promise<HealthReport>;
  /** Metrics and the state of servers have a port of their own (HEALTH_PORT), so the public one need not show them. */
  hasHealthServer: boolean;
  connect: Connect;
}

/** Everything that a process needs to run a service. */
export interface ServiceManifest<S extends ConfigShape = ConfigShape> {
  name: ServiceName;
  /** The settings it reads from the environment. */
  config: S;
  /** True when the service reads or writes media. A process without such a service does not check the media store. */
  usesMedia?: boolean;
  /** @returns a line for each fault of settings that are valid by themselves but not together */
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
  /** Called first at a stop: accepts no more requests, lets running answers end, and cuts off those that have not after `limitMs`. */
  close(limitMs: number): Promise<void>;
}

/** A manifest of any settings, for lists of manifests. */
export type AnyServiceManifest = ServiceManifest;
