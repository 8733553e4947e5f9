import type { INestApplication, INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestMicroservice } from '@nestjs/microservices';
import type { GrpcEndpoint } from './grpc/grpc-endpoint.js';
import { GrpcExceptionFilter } from './grpc/grpc-exception-filter.js';
import { nestLogger } from './nest-logger.js';
import type { AnyServiceManifest, ServiceContext } from './service-manifest.js';

export interface StartedService {
  manifest: AnyServiceManifest;
  app: INestApplication | INestMicroservice;
  context: ServiceContext;
}

/** Nest's application of a service, listening for gRPC; its public HTTP server does not listen yet. */
export async function startApplication(manifest: AnyServiceManifest, context: ServiceContext, { nestOptions: grpc }: GrpcEndpoint): Promise<StartedService['app']> {
  const module = manifest.module(context);
  const settings = { logger: nestLogger(context.log), abortOnError: false };
  const filter = new GrpcExceptionFilter(context.log);
  if (manifest.http) {
    const app = await NestFactory.create(module, manifest.http.adapter(context), settings);
    // Its handlers are made when it starts: a filter that comes after them is not applied.
    const microservice = app.connectMicroservice<typeof grpc>(grpc, { deferInitialization: true }) as NestMicroservice;
    microservice.useGlobalFilters(filter);
    // The hooks of the modules are run once, with those of the application.
    microservice.setIsInitHookCalled(true);
    return startedOrClosed(app, () => app.startAllMicroservices());
  }
  const app = await NestFactory.createMicroservice(module, { ...grpc, ...settings });
  app.useGlobalFilters(filter);
  return startedOrClosed(app, () => app.listen());
}

/** What its modules have begun by then, timers among it, would keep a process alive that cannot start. */
async function startedOrClosed<App extends StartedService['app']>(app: App, start: () => Promise<unknown>): Promise<App> {
  try {
    await start();
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}
