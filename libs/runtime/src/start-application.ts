import { Module, type INestApplication, type LoggerService } from '@nestjs/common';
import { NestFactory, type AbstractHttpAdapter } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Logger } from '@parlance/platform';
import { ServiceContextModule } from './service-context-module.js';
import type { AnyServiceManifest, ServiceContext } from './service-manifest.js';

export interface StartedService {
  manifest: AnyServiceManifest;
  app: INestApplication;
  context: ServiceContext;
}

/** Imports a service's module beside the context that it runs in. */
@Module({})
class ServiceRoot {}

/** Makes the Nest application of a service without starting it: no hook of its providers has run. */
export function makeApplication(manifest: AnyServiceManifest, context: ServiceContext, logger: LoggerService | false, adapter: AbstractHttpAdapter = new FastifyAdapter()): Promise<INestApplication> {
  const root = { module: ServiceRoot, imports: [ServiceContextModule.of(context), manifest.module(context)] };
  return NestFactory.create(root, adapter, { logger, abortOnError: false });
}

/** The application of a service. One with a public HTTP server is started when that listens, after the services of the process. */
export async function startApplication(manifest: AnyServiceManifest, context: ServiceContext): Promise<INestApplication> {
  const app = await makeApplication(manifest, context, nestLogger(context.log), manifest.http?.adapter(context));
  if (manifest.http) return app;
  try {
    return await app.init();
  } catch (error) {
    // The timers of its providers would keep a process alive that cannot start.
    await app.close();
    throw error;
  }
}

/** The context of errors that Nest throws on from a start. The caller of the start reports them. */
const THROWN = 'ExceptionHandler';

/** Nest's own messages in our log; its start-up chatter is debug. */
function nestLogger(log: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...details: unknown[]) => {
      if (!details.includes(THROWN)) log[level]({ nest: details.filter((detail) => typeof detail === 'string') }, String(message));
    };
  return { log: write('debug'), debug: write('debug'), verbose: write('debug'), warn: write('warn'), error: write('error'), fatal: write('fatal') };
}
