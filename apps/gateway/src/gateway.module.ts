import { randomBytes, randomInt } from 'node:crypto';
import { Inject, Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ingest, search, summary, transcription, webhook } from '@parlance/contracts';
import { createEgress, type Egress } from '@parlance/egress';
import { JobErasures, type ServiceContext } from '@parlance/runtime';
import { AccountController } from './accounts/account.controller.js';
import { AccountRpcController } from './accounts/account-rpc.controller.js';
import { Accounts } from './accounts/accounts.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { EndpointsController } from './deliveries/endpoints.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { EventsController } from './events/events.controller.js';
import { JobWatcher, measureWatches } from './events/job-watcher.js';
import { uploadLimits, type gatewayConfig } from './gateway-config.js';
import { OpenStreams } from './http/open-streams.js';
import { ProbesController } from './http/probes.controller.js';
import { ProblemFilter } from './http/problem-filter.js';
import { Idempotency } from './idempotency/idempotency.js';
import { ApiKeys } from './keys/api-keys.js';
import { Authenticator } from './keys/authenticator.js';
import { KeyEndings } from './keys/key-endings.js';
import { KeyUses } from './keys/key-uses.js';
import { KeyGuard } from './keys/key-guard.js';
import { countWrongKeys } from './keys/wrong-key-metrics.js';
import { WrongKeys } from './keys/wrong-keys.js';
import { KeysController } from './keys/keys.controller.js';
import { EngineLanguages } from './languages/engine-languages.js';
import { LanguagesController } from './languages/languages.controller.js';
import { createRequestRates, ratesOfPlans, type RequestRates } from './limits/request-rates.js';
import { ChatController } from './chat/chat.controller.js';
import { createSignup } from './signup/create-signup.js';
import { SignupController } from './signup/signup.controller.js';
import { SearchController } from './search/search.controller.js';
import { SpeakersController } from './speakers/speakers.controller.js';
import { SummariesController } from './summaries/summaries.controller.js';
import { AccountPlans, Plans } from './plans/index.js';
import { Creation } from './transcriptions/creation.js';
import { JobMaker } from './transcriptions/job-maker.js';
import { JobReader } from './transcriptions/job-reader.js';
import { JobViews } from './transcriptions/job-views.js';
import { RequestRules } from './transcriptions/request-rules.js';
import { TranscriptionsController } from './transcriptions/transcriptions.controller.js';
import { UploadCreation } from './transcriptions/upload-creation.js';
import { TranscriptsController } from './transcripts/transcripts.controller.js';
import * as tokens from './tokens.js';
import { UploadLeases } from './uploads/upload-leases.js';
import { UploadStore } from './uploads/upload-store.js';
import { askForEnd } from './usage/job-end.js';
import { Quota } from './usage/quota.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageLedger } from './usage/usage-ledger.js';
import { UsageRpcController } from './usage/usage-rpc.controller.js';
import { Upkeep } from './upkeep.js';

type Context = ServiceContext<typeof gatewayConfig>;

const CONTROLLERS = [
  TranscriptionsController,
  EventsController,
  TranscriptsController,
  SpeakersController,
  SummariesController,
  LanguagesController,
  SearchController,
  ChatController,
  DeliveriesController,
  EndpointsController,
  KeysController,
  SignupController,
  AccountController,
  AccountRpcController,
  UsageController,
  UsageRpcController,
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
        {
          provide: APP_GUARD,
          useFactory: (authenticator: Authenticator, uses: KeyUses, rates: RequestRates) => new KeyGuard(authenticator, uses, rates),
          inject: [tokens.AUTHENTICATOR, tokens.KEY_USES, tokens.REQUEST_RATES],
        },
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
  const plans = Plans.from(config, log);
  const accounts = new Accounts(documents, keys, plans, clock, ids);
  const wrongKeys = new WrongKeys(config.WRONG_KEYS_PER_MINUTE, clock, countWrongKeys(context.metrics));
  const signup = createSignup(context, { accounts, plans }, randomInt);
  const authenticator = new Authenticator(keys, accounts, clock, wrongKeys);
  const keyEndings = new KeyEndings((keyId) => authenticator.refusalOf(keyId), log);
  const keyUses = new KeyUses(documents, clock);
  const accountPlans = new AccountPlans(accounts, plans);
  const watcher = new JobWatcher();
  const reader = new JobReader(jobs, transcripts, watcher);
  measureWatches(watcher, context.metrics);
  const idempotency = new Idempotency(documents, clock, ids);
  const uploads = new UploadStore(media, new UploadLeases(documents, clock), uploadLimits(config), log);
  const languages = new EngineLanguages(transcripts, clock, log);
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  const rules = new RequestRules(egress, languages);
  const ledger = new UsageLedger(documents);
  const quota = new Quota(ledger, accountPlans, clock, askForEnd(jobs));
  const creation = new Creation(jobs, new JobMaker(jobs), idempotency, uploads, ids, quota, accountPlans);
  const records = {
    what: 'request_records',
    count: (jobId: string) => idempotency.count(jobId),
    remove: (jobId: string) => idempotency.erase(jobId),
  };
  return [
    [tokens.ACCOUNTS, accounts],
    [tokens.PLANS, plans],
    [tokens.ACCOUNT_PLANS, accountPlans],
    [tokens.USAGE_LEDGER, ledger],
    [tokens.QUOTA, quota],
    [tokens.API_KEYS, keys],
    [tokens.KEY_USES, keyUses],
    [tokens.WRONG_KEYS, wrongKeys],
    [tokens.SIGNUP, signup],
    [tokens.AUTHENTICATOR, authenticator],
    [tokens.REQUEST_RATES, createRequestRates(context, ratesOfPlans(config, accountPlans))],
    [tokens.JOB_CLIENT, jobs],
    [tokens.TRANSCRIPT_CLIENT, transcripts],
    [tokens.WEBHOOK_CLIENT, context.connect('webhook-dispatcher', webhook.WebhookServiceClient)],
    [tokens.SEARCH_CLIENT, context.connect('search', search.SearchServiceClient)],
    [tokens.SUMMARY_CLIENT, context.connect('summary', summary.SummaryServiceClient)],
    [tokens.JOB_READER, reader],
    [tokens.JOB_VIEWS, new JobViews(reader)],
    [tokens.JOB_WATCHER, watcher],
    [tokens.JOB_ERASURES, new JobErasures(context.name, documents, records, clock)],
    [tokens.CLOCK, clock],
    [tokens.IDS, ids],
    [tokens.CREATION, creation],
    [tokens.UPLOAD_CREATION, new UploadCreation(creation, idempotency, uploads, rules, ids, accountPlans, keyEndings)],
    [tokens.REQUEST_RULES, rules],
    [tokens.EGRESS, egress],
    [tokens.ENGINE_LANGUAGES, languages],
    [tokens.OPEN_STREAMS, new OpenStreams(keyEndings)],
    [tokens.PROCESS_HEALTH, () => context.health()],
    [tokens.LOG, log],
    [tokens.METRICS, context.metrics],
    [tokens.UPKEEP, new Upkeep(idempotency, uploads, keyUses, [signup, { sweep: () => keyUses.sweep(keys) }], jobs, log)],
  ];
}
