import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Inject, Module } from '@nestjs/common';
import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import { GrpcMethod } from '@nestjs/microservices';
import { transcription, webhook } from '@parlance/contracts';
import { callUnary, silentLogger, type CallContext, type HealthCheck, type Logger } from '@parlance/platform';
import { runProcess, type RunningProcess } from '../run-process.js';
import type { ServiceContext, ServiceManifest } from '../service-manifest.js';

export type Call = ServerUnaryCall<unknown, unknown>;

/** What a replica does before it answers a call; `subject` is what the caller gave. */
export type Behaviour = (subject: string, call: Call, context: ServiceContext) => Promise<void> | void;

const REPLICA = Symbol('Replica');

interface Identity {
  number: number;
  before: (subject: string, call: Call) => Promise<void> | void;
}

/** One read and one write, which answer with the number of the replica that they came to. */
@Controller()
class ReplicaController {
  constructor(@Inject(REPLICA) private readonly replica: Identity) {}

  @GrpcMethod('TranscriptService', 'listChunkSegments')
  async read({ jobId }: transcription.ListChunkSegmentsRequest, _metadata: Metadata, call: Call): Promise<transcription.ListChunkSegmentsResponse> {
    await this.replica.before(jobId, call);
    return { segments: [], nextChunk: this.replica.number };
  }

  @GrpcMethod('WebhookService', 'redeliver')
  async write({ deliveryId }: webhook.RedeliverRequest, _metadata: Metadata, call: Call): Promise<webhook.RedeliverResponse> {
    await this.replica.before(deliveryId, call);
    return { delivery: webhook.Delivery.fromPartial({ deliveryId: String(this.replica.number) }) };
  }
}

@Module({})
class ReplicaModule {}

export interface ReplicaOptions {
  number: number;
  /** `host:port`; without it, the unix socket of the data folder. */
  listen?: string;
  env?: Record<string, string>;
  log?: Logger;
  behaviour?: Behaviour;
  checks?: HealthCheck[];
}

const manifestOf = ({ number, behaviour = () => undefined, checks = [] }: ReplicaOptions): ServiceManifest<Record<string, never>> => ({
  name: 'transcription',
  config: {},
  module: (context) => ({
    module: ReplicaModule,
    controllers: [ReplicaController],
    providers: [{ provide: REPLICA, useValue: { number, before: (subject, call) => behaviour(subject, call, context) } satisfies Identity }],
  }),
  grpc: {
    'parlance.transcription.v1.TranscriptService': transcription.TranscriptServiceService,
    'parlance.webhook.v1.WebhookService': webhook.WebhookServiceService,
  },
  consumers: () => [],
  health: () => checks,
});

/** For tests: a process in this one, with a data folder of its own. */
export class TestProcess implements AsyncDisposable {
  private constructor(
    readonly running: RunningProcess,
    private readonly folder: string,
  ) {}

  static async replica(options: ReplicaOptions): Promise<TestProcess> {
    const { listen, env = {} } = options;
    // Not a socket: where others find it is the tests' matter.
    const address: Record<string, string> = listen === undefined ? {} : { GRPC_LISTEN: listen, TRANSCRIPTION_GRPC_URL: `ipv4:${listen}` };
    return TestProcess.start([manifestOf(options)], { ...address, ...env }, options.log);
  }

  /** One that only calls. */
  static client(target: string, env: Record<string, string> = {}, log?: Logger): Promise<TestProcess> {
    return TestProcess.start([], { TRANSCRIPTION_GRPC_URL: target, ...env }, log);
  }

  private static async start(manifests: ServiceManifest<Record<string, never>>[], env: Record<string, string>, log = silentLogger()): Promise<TestProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-grpc-'));
    return new TestProcess(await runProcess(manifests, { env: { PARLANCE_DATA: folder, ...env }, log }), folder);
  }

  /** @returns the number of the replica that answered. */
  read(subject = '', context: CallContext = {}): Promise<number> {
    return readFrom(this.transcripts, subject, context);
  }

  async write(subject = ''): Promise<number> {
    const client = (this.webhooks ??= this.running.connect('transcription', webhook.WebhookServiceClient));
    const { delivery } = await callUnary(client, client.redeliver, { accountId: 'acc_1', deliveryId: subject });
    return Number(delivery?.deliveryId);
  }

  private connected: transcription.TranscriptServiceClient | undefined;
  private webhooks: webhook.WebhookServiceClient | undefined;
  private get transcripts(): transcription.TranscriptServiceClient {
    return (this.connected ??= this.running.connect('transcription', transcription.TranscriptServiceClient));
  }

  private closing: Promise<void> | undefined;
  close(): Promise<void> {
    this.closing ??= this.running.close().then(() => rm(this.folder, { recursive: true, force: true }));
    return this.closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export async function readFrom(client: transcription.TranscriptServiceClient, subject: string, context: CallContext = {}): Promise<number> {
  const { nextChunk } = await callUnary(client, client.listChunkSegments, { accountId: 'acc_1', jobId: subject, fromChunk: 0 }, context);
  return nextChunk;
}

/** Addresses on loopback that nobody uses now. */
export async function freeAddresses(count: number, host = '127.0.0.1'): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, host));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const addresses = servers.map((server) => `${host}:${(server.address() as AddressInfo).port}`);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return addresses;
}

export async function eventually<T>(what: string, condition: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
}
