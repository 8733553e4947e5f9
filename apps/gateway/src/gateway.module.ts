import { randomBytes } from 'node:crypto';
import { Inject, Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ingest, transcription, webhook } from '@parlance/contracts';
import { createEgress, type Egress } from '@parlance/egress';
import { JobErasures, type ServiceContext } from '@parlance/runtime';
import { AccountController } from './accounts/account.controller.js';
import { AccountRpcController } from './accounts/account-rpc.controller.js';
import { Accounts } from './accounts/accounts.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { EventsController } from './events/events.controller.js';
import { JobWatcher, measureWatches } from './events/job-watcher.js';
import type { gatewayConfig } from './gateway-config.js';
import { OpenStreams } from './http/open-streams.js';
import { ProbesController } from './http/probes.controller.js';
import { ProblemFilter } from './http/problem-filter.js';
import { Idempotency } from './idempotency/idempotency.js';
import { ApiKeys } from './keys/api-keys.js';
import { Authenticator } from './keys/authenticator.js';
import { KeyGuard } from './keys/key-guard.js';
import { KeysController } from './keys/keys.controller.js';
import { EngineLanguages } from './languages/engine-languages.js';
import { LanguagesController } from './languages/languages.controller.js';
import { Creation } from './transcriptions/creation.js';
import { JobMaker } from './transcriptions/job-maker.js';
import { JobReader } from './transcriptions/job-reader.js';
import { RequestRules } from './transcriptions/request-rules.js';
import { TranscriptionsController } from './transcriptions/transcriptions.controller.js';
import { UploadCreation } from './transcriptions/upload-creation.js';
import { TranscriptsController } from './transcripts/transcripts.controller.js';
import * as tokens from './tokens.js';
import { UploadLeases } from './uploads/upload-leases.js';
import { UploadStore } from './uploads/upload-store.js';
import { Upkeep } from './upkeep.js';

type Context = ServiceContext<typeof gatewayConfig>;

const CONTROLLERS = [
  TranscriptionsController,
  EventsController,
  TranscriptsController,
  LanguagesController,
  DeliveriesController,
  KeysController,
  AccountController,
  AccountRpcController,
  DocsController,
  ProbesController,
];

@Module({})
export class GatewayModule implements OnModuleDestroy {
  constructor(
    @Inject(tokens.OPEN_STREAMS) private readonly streams: OpenStreams,
    @Inject(tokens.UPKEEP) private readonly upkeep: Upkeep,
    @Inject(tokens.EGRESS) private readonly egress: Egress,
  ) {}

  static from(context: Context): DynamicModule {
    return {
      module: GatewayModule,
      controllers: CONTROLLERS,
      providers: [
        { provide: APP_FILTER, useValue: new ProblemFilter(context.log) },
        { provide: APP_GUARD, useFactory: (authenticator: Authenticator) => new KeyGuard(authenticator), inject: [tokens.AUTHENTICATOR] },
        ...wire(context).map(([provide, useValue]) => ({ provide, useValue })),
      ],
    };
  }

  async onModuleDestroy(): Promise<void> {
    this.streams.close();
    await this.upkeep.close();
    await this.egress.close();
  }
}

/** Everything the controllers need, by its token. */
function wire(context: Context): [symbol, unknown][] {
  const { config, documents, media, clock, ids, log } = context;
  const jobs = context.connect('ingest', ingest.JobServiceClient);
  const transcripts = context.connect('transcription', transcription.TranscriptServiceClient);
  const keys = new ApiKeys(documents, clock, ids, (length) => randomBytes(length));
  const watcher = new JobWatcher();
  measureWatches(watcher, context.metrics);
  const idempotency = new Idempotency(documents, clock, ids);
  const limits = { maxBytes: config.MEDIA_MAX_BYTES, timeoutMs: config.UPLOAD_TIMEOUT_MINUTES * 60_000 };
  const uploads = new UploadStore(media, new UploadLeases(documents, clock), limits, log);
  const languages = new EngineLanguages(transcripts, clock, log);
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  const rules = new RequestRules(egress, languages);
  const creation = new Creation(jobs, new JobMaker(jobs), idempotency, uploads, ids);
  const records = {
    what: 'request_records',
    count: (jobId: string) => idempotency.count(jobId),
    remove: (jobId: string) => idempotency.erase(jobId),
  };
  return [
    [tokens.ACCOUNTS, new Accounts(documents, keys, clock, ids)],
    [tokens.API_KEYS, keys],
    [tokens.AUTHENTICATOR, new Authenticator(keys, clock)],
    [tokens.JOB_CLIENT, jobs],
    [tokens.TRANSCRIPT_CLIENT, transcripts],
    [tokens.WEBHOOK_CLIENT, context.connect('webhook-dispatcher', webhook.WebhookServiceClient)],
    [tokens.JOB_READER, new JobReader(jobs, transcripts, watcher)],
    [tokens.JOB_WATCHER, watcher],
    [tokens.JOB_ERASURES, new JobErasures(context.name, documents, records, clock)],
    [tokens.CLOCK, clock],
    [tokens.CREATION, creation],
    [tokens.UPLOAD_CREATION, new UploadCreation(creation, idempotency, uploads, rules, ids)],
    [tokens.REQUEST_RULES, rules],
    [tokens.EGRESS, egress],
    [tokens.ENGINE_LANGUAGES, languages],
    [tokens.OPEN_STREAMS, new OpenStreams()],
    [tokens.PROCESS_HEALTH, () => context.health()],
    [tokens.LOG, log],
    [tokens.METRICS, context.metrics],
    [tokens.UPKEEP, new Upkeep(idempotency, uploads, jobs, log)],
  ];
}
