import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Inject, Module } from '@nestjs/common';
import { transcription, webhook, type CallOptions, type TranscriptService, type WebhookService } from '@parlance/contracts';
import { currentCallScope, silentLogger, type CallScope, type HealthCheck, type Logger } from '@parlance/platform';
import { serve, type ServiceContext, type ServiceManifest } from '@parlance/runtime';
import { runProcess, type RunningProcess } from '@parlance/runtime/process';

export { eventually } from '../eventually.js';

/** What a replica does before it answers a call; `subject` is what the caller gave. */
export type Behaviour = (subject: string, call: CallScope, context: ServiceContext) => Promise<void> | void;

const REPLICA = Symbol('Replica');

interface Identity {
  number: number;
  before: (subject: string, call: CallScope) => Promise<void> | void;
}

/** One read and one write, which answer with the number of the replica that they came to. */
@Controller()
class ReplicaController implements Pick<TranscriptService, 'listChunkSegments'>, Pick<WebhookService, 'redeliver'> {
  constructor(@Inject(REPLICA) private readonly replica: Identity) {}

  async listChunkSegments({ jobId }: transcription.ListChunkSegmentsRequest): Promise<transcription.ListChunkSegmentsResponse> {
    await this.replica.before(jobId, callScope());
    return { segments: [], nextChunk: this.replica.number };
  }

  async redeliver({ deliveryId }: webhook.RedeliverRequest): Promise<webhook.RedeliverResponse> {
    await this.replica.before(deliveryId, callScope());
    return { delivery: webhook.Delivery.fromPartial({ deliveryId: String(this.replica.number) }) };
  }
}

function callScope(): CallScope {
  const scope = currentCallScope();
  if (!scope) throw new Error('the method does not run for a call');
  return scope;
}

@Module({})
class ReplicaModule {}

interface ReplicaOptions {
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
  serves: (app) => [
    serve(transcription.TranscriptServiceDefinition, app.get<TranscriptService>(ReplicaController)),
    serve(webhook.WebhookServiceDefinition, app.get<WebhookService>(ReplicaController)),
  ],
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
  read(subject = '', options: CallOptions = {}): Promise<number> {
    return readFrom(this.transcripts, subject, options);
  }

  async write(subject = ''): Promise<number> {
    this.webhooks ??= this.running.connect('transcription', webhook.WebhookServiceDefinition);
    const { delivery } = await this.webhooks.redeliver({ accountId: 'acc_1', deliveryId: subject });
    return Number(delivery?.deliveryId);
  }

  private connected: TranscriptService | undefined;
  private webhooks: WebhookService | undefined;
  private get transcripts(): TranscriptService {
    return (this.connected ??= this.running.connect('transcription', transcription.TranscriptServiceDefinition));
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

export async function readFrom(transcripts: TranscriptService, subject: string, options: CallOptions = {}): Promise<number> {
  const { nextChunk } = await transcripts.listChunkSegments({ accountId: 'acc_1', jobId: subject, fromChunk: 0 }, options);
  return nextChunk;
}
