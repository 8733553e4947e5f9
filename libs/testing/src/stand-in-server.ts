import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServiceDefinition, ServicePort } from '@parlance/contracts';
import { createMetrics, notFound, silentLogger } from '@parlance/platform';
import { serve, type Implementation } from '@parlance/runtime';
import { addToServer, CallMetrics, MAX_MESSAGE_BYTES, ServedService } from '@parlance/runtime/process';

/** A service that a test plays: methods that it does not give find nothing. */
export function standIn<D extends ServiceDefinition>(definition: D, methods: Partial<ServicePort<D>>): Implementation {
  const found = methods as Readonly<Record<string, unknown>>;
  const all = Object.entries(definition.methods).map(([name, { responseStream }]) => [name, found[name] ?? (responseStream ? findsNoStream : findsNothing)]);
  return serve(definition, Object.fromEntries(all) as ServicePort<D>);
}

async function findsNothing(): Promise<never> {
  throw notFound('This');
}

// oxlint-disable-next-line require-yield
async function* findsNoStream(): AsyncGenerator<never> {
  throw notFound('This');
}

/** A gRPC server of services that a test plays. */
export class StandInServer implements AsyncDisposable {
  private constructor(
    private readonly server: Server,
    /** `host:port`. */
    readonly target: string,
  ) {}

  static async start(services: readonly Implementation[]): Promise<StandInServer> {
    const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
    const options = { service: 'stand-in', metrics: new CallMetrics(createMetrics()), log: silentLogger() };
    for (const service of services) addToServer(server, new ServedService(service, options));
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
    );
    return new StandInServer(server, `127.0.0.1:${port}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.forceShutdown();
  }
}
