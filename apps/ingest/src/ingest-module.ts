import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { gateway, transcription } from '@parlance/contracts';
import { createEgress, type Egress } from '@parlance/egress';
import { SileroVoiceActivityDetector } from '@parlance/engines';
import type { ServiceContext } from '@parlance/runtime';
import type { IngestConfig, ingestConfig } from './config/ingest-config.js';
import { JobController } from './grpc/job-controller.js';
import { createIngest, INGEST, LOG, type Ingest } from './ingest.js';
import { askEngineLimit } from './intake/engine-limit.js';
import { askFreeTime } from './intake/free-time.js';
import { createMediaIntake, type MediaIntake } from './intake/media-intake.js';
import { createMediaFetcher, createMediaPipeline, createMediaSandbox, sandboxTimes, type FetchLimits } from './media/index.js';

const EGRESS = Symbol('Egress');

@Module({})
export class IngestModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(INGEST) private readonly ingest: Ingest,
    @Inject(EGRESS) private readonly egress: Egress,
  ) {}

  static from(context: ServiceContext<typeof ingestConfig>): DynamicModule {
    const egress = createEgress({ allow: context.config.EGRESS_ALLOW });
    const ingest = createIngest(context, mediaIntake(context, egress), askFreeTime(context.connect('gateway', gateway.AccountServiceClient), context.log, context.metrics));
    return {
      module: IngestModule,
      controllers: [JobController],
      providers: [
        { provide: EGRESS, useValue: egress },
        { provide: INGEST, useValue: ingest },
        { provide: LOG, useValue: context.log },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.ingest.upkeep.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.ingest.upkeep.close();
    await this.egress.close();
  }
}

/** A try that hears nothing for a third of the time allowed is given up, so that two more are possible. */
function fetchLimits({ MEDIA_MAX_BYTES, MEDIA_SILENCE_SECONDS, MEDIA_FETCH_SECONDS }: IngestConfig): Partial<FetchLimits> {
  const silenceMs = MEDIA_SILENCE_SECONDS * 1000;
  return { maxBytes: MEDIA_MAX_BYTES, silenceMs, stallMs: Math.ceil(silenceMs / 3), totalMs: MEDIA_FETCH_SECONDS * 1000 };
}

function mediaIntake({ config, media: store, scratchFolder, log, connect }: ServiceContext<typeof ingestConfig>, egress: Egress): MediaIntake {
  const sandbox = createMediaSandbox({ scratchFolder, log, limits: sandboxTimes(config.DECODE_TIMEOUT_MINUTES) });
  const voiceActivity = new SileroVoiceActivityDetector();
  return createMediaIntake({
    fetcher: createMediaFetcher({ egress, store, limits: fetchLimits(config) }),
    pipeline: createMediaPipeline({ store, sandbox, voiceActivity, scratchFolder }),
    lengths: { idealSeconds: config.CHUNK_IDEAL_SECONDS, maxSeconds: config.CHUNK_MAX_SECONDS },
    engineLimit: askEngineLimit(connect('transcription', transcription.TranscriptServiceClient), log),
    maxDurationSeconds: config.MEDIA_MAX_DURATION_SECONDS,
  });
}
