import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { ServiceDefinition } from '@parlance/contracts';
import type { ServiceContext, ServiceName } from './service-manifest.js';
import { CLOCK, CONFIG, DATA_KEYS, DOCUMENTS, EVENT_BUS, ID_GENERATOR, LOGGER, MEDIA_STORE, METRICS, SERVICE_CONTEXT, TASK_QUEUE } from './service-tokens.js';

/** Provides what the root gives to a service, in all modules of the service. */
@Global()
@Module({})
export class ServiceContextModule {
  static of(context: ServiceContext): DynamicModule {
    const { config, log, metrics, clock, ids, documents, keys, media, bus, tasks } = context;
    const values: [symbol, unknown][] = [
      [SERVICE_CONTEXT, context],
      [CONFIG, config],
      [LOGGER, log],
      [METRICS, metrics],
      [CLOCK, clock],
      [ID_GENERATOR, ids],
      [DOCUMENTS, documents],
      [DATA_KEYS, keys ?? null],
      [MEDIA_STORE, media],
      [EVENT_BUS, bus],
      [TASK_QUEUE, tasks],
    ];
    const providers = values.map(([provide, useValue]) => ({ provide, useValue }));
    return { module: ServiceContextModule, providers, exports: providers };
  }
}

/** Provides the port of another service under its token. */
export const servicePort = (token: symbol, service: ServiceName, definition: ServiceDefinition): Provider => ({
  provide: token,
  useFactory: ({ connect }: ServiceContext) => connect(service, definition),
  inject: [SERVICE_CONTEXT],
});
