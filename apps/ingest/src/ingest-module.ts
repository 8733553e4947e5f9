import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { gateway, transcription } from '@parlance/contracts';
import { createEgress, egressOptions, type Egress } from '@parlance/egress';
import { SileroVoiceActivityDetector } from '@parlance/engines';
import type { GrpcConfig, ServiceContext, UrlConfig } from '@parlance/runtime';
import { DiskReserve } from '@parlance/storage';
import type { IngestConfig, ingestConfig } from './config/ingest-config.js';
import { openMediaDecoder, type OpenedMediaDecoder } from './media/decoder/open-media-decoder.js';
import { JobController } from './grpc/job-controller.js';
import { createIngest, INGEST, LOG, type Ingest } from './ingest.js';
import { askEngineLimit } from './media/intake/engine-limit.js';
import { askFreeTime } from './media/intake/free-time.js';
import { createMediaIntake, type MediaIntake } from './media/intake/media-intake.js';
import { askStorageLeft } from './media/intake/storage-left.js';
import { createMediaFetcher, createMediaPipeline, ScratchBudget, type FetchLimits, type MediaDecoder } from './media/index.js';
import { measureIsolation } from './media/isolation-metric.js';

const EGRESS = Symbol('Egress');
export const MEDIA_DECODER = Symbol('MediaDecoder');
const AFTER_UNCLEAN_STOP = Symbol('AfterUncleanStop');

@Module({})
export class IngestModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(INGEST) private readonly ingest: Ingest,
    @Inject(EGRESS) private readonly egress: Egress,
    @Inject(MEDIA_DECODER) private readonly mediaDecoder: OpenedMediaDecoder,
    @Inject(AFTER_UNCLEAN_STOP) private readonly afterUncleanStop: boolean,
  ) {}

  static from(context: ServiceContext<typeof ingestConfig>): DynamicModule {
    const egress = createEgress(egressOptions(context.config));
    const opened = openMediaDecoder({ ...context, config: context.config as IngestConfig & GrpcConfig & UrlConfig });
    if (opened.level !== undefined) measureIsolation(context.metrics, opened.level);
    const ingest = createIngest(context, mediaIntake(context, egress, opened.decoder), askFreeTime(context.connect('gateway', gateway.AccountServiceDefinition), context.log, context.metrics));
    return {
      module: IngestModule,
      controllers: [JobController],
      providers: [
        { provide: EGRESS, useValue: egress },
        { provide: AFTER_UNCLEAN_STOP, useValue: context.afterUncleanStop },
        { provide: INGEST, useValue: ingest },
        { provide: MEDIA_DECODER, useValue: opened },
        { provide: LOG, useValue: context.log },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.ingest.upkeep.start({ afterUncleanStop: this.afterUncleanStop });
  }

  async onModuleDestroy(): Promise<void> {
    await this.ingest.upkeep.close();
    await this.egress.close();
    this.mediaDecoder.close();
  }
}

/** A try that hears nothing for a third of the time allowed is given up, so that two more are possible. */
function fetchLimits({ MEDIA_MAX_BYTES, MEDIA_SILENCE_SECONDS, MEDIA_FETCH_SECONDS }: IngestConfig): Partial<FetchLimits> {
  const silenceMs = MEDIA_SILENCE_SECONDS * 1000;
  return { maxBytes: MEDIA_MAX_BYTES, silenceMs, stallMs: Math.ceil(silenceMs / 3), totalMs: MEDIA_FETCH_SECONDS * 1000 };
}

function mediaIntake({ config, media: store, scratchFolder, log, connect }: ServiceContext<typeof ingestConfig>, egress: Egress, decoder: MediaDecoder): MediaIntake {
  const budget = new ScratchBudget(new DiskReserve(scratchFolder), config.SCRATCH_MAX_BYTES);
  const voiceActivity = new SileroVoiceActivityDetector();
  return createMediaIntake({
    fetcher: createMediaFetcher({ egress, store, limits: fetchLimits(config) }),
    pipeline: createMediaPipeline({ store, decoder, voiceActivity, scratchFolder, budget }),
    lengths: { idealSeconds: config.CHUNK_IDEAL_SECONDS, maxSeconds: config.CHUNK_MAX_SECONDS },
    engineLimit: askEngineLimit(connect('transcription', transcription.TranscriptServiceDefinition), log),
    maxDurationSeconds: config.MEDIA_MAX_DURATION_SECONDS,
    maxBytes: config.MEDIA_MAX_BYTES,
    storageLeft: askStorageLeft(connect('gateway', gateway.AccountServiceDefinition), log),
  });
}
