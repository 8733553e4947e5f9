import type { Provider } from '@nestjs/common';
import { createEgress, egressOptions, type Egress } from '@parlance/egress';
import { SileroVoiceActivityDetector, type VoiceActivityDetector } from '@parlance/engines';
import { FairPlaces } from '@parlance/event-bus';
import { MEDIA_STORE, SERVICE_CONTEXT, type GrpcConfig, type ServiceContext, type UrlConfig } from '@parlance/runtime';
import { DiskReserve, type MediaStore } from '@parlance/storage';
import type { IngestConfig, ingestConfig } from '../ingest.config.js';
import { openMediaDecoder, type OpenedMediaDecoder } from './decoder/open-media-decoder.js';
import { ClipCutter } from './clip-cutter.js';
import type { FetchLimits } from './fetch-limits.js';
import { measureIsolation } from './isolation-metric.js';
import { defaultLiveDecoders } from './live/default-decoders.js';
import { LiveMedia } from './live/live-media.js';
import { LivePlaces } from './live/live-places.js';
import { createMediaFetcher } from './media-fetcher.js';
import { createMediaPipeline } from './media-pipeline.js';
import { AudioRedactor } from './redaction/audio-redactor.js';
import { ScratchBudget } from './scratch-budget.js';

export const EGRESS = Symbol('Egress');
export const MEDIA_DECODER = Symbol('OpenedMediaDecoder');
export const MEDIA_FETCHER = Symbol('MediaFetcher');
export const MEDIA_PIPELINE = Symbol('MediaPipeline');
const SCRATCH_BUDGET = Symbol('ScratchBudget');
export const VOICE_ACTIVITY = Symbol('SileroVoiceActivityDetector');

/** A start of the detector takes 0.2 s. It holds 100 MB, which are given back when no recording follows. */
const VOICE_ACTIVITY_IDLE_MS = 30_000;

type IngestContext = ServiceContext<typeof ingestConfig>;

/** The objects behind `MediaIntake`, which know nothing of Nest. The module closes the egress and the decoder. */
export const mediaProviders: Provider[] = [
  { provide: EGRESS, useFactory: ({ config }: IngestContext) => createEgress(egressOptions(config)), inject: [SERVICE_CONTEXT] },
  {
    provide: MEDIA_DECODER,
    useFactory: ({ config, scratchFolder, log, metrics }: IngestContext): OpenedMediaDecoder => {
      const opened = openMediaDecoder({ config: config as IngestConfig & GrpcConfig & UrlConfig, scratchFolder, log });
      if (opened.level !== undefined) measureIsolation(metrics, opened.level);
      return opened;
    },
    inject: [SERVICE_CONTEXT],
  },
  {
    provide: MEDIA_FETCHER,
    useFactory: ({ config }: IngestContext, egress: Egress, store: MediaStore) => createMediaFetcher({ egress, store, limits: fetchLimits(config) }),
    inject: [SERVICE_CONTEXT, EGRESS, MEDIA_STORE],
  },
  { provide: SCRATCH_BUDGET, useFactory: ({ config, scratchFolder }: IngestContext) => new ScratchBudget(new DiskReserve(scratchFolder), config.SCRATCH_MAX_BYTES), inject: [SERVICE_CONTEXT] },
  { provide: VOICE_ACTIVITY, useFactory: () => new SileroVoiceActivityDetector({ idleMs: VOICE_ACTIVITY_IDLE_MS }) },
  {
    provide: MEDIA_PIPELINE,
    useFactory: ({ scratchFolder }: IngestContext, { decoder }: OpenedMediaDecoder, store: MediaStore, voiceActivity: VoiceActivityDetector, budget: ScratchBudget) =>
      createMediaPipeline({ store, decoder, voiceActivity, scratchFolder, budget }),
    inject: [SERVICE_CONTEXT, MEDIA_DECODER, MEDIA_STORE, VOICE_ACTIVITY, SCRATCH_BUDGET],
  },
  {
    provide: AudioRedactor,
    useFactory: ({ scratchFolder }: IngestContext, { decoder }: OpenedMediaDecoder, store: MediaStore, budget: ScratchBudget) => new AudioRedactor({ store, decoder, scratchFolder, budget }),
    inject: [SERVICE_CONTEXT, MEDIA_DECODER, MEDIA_STORE, SCRATCH_BUDGET],
  },
  {
    provide: LiveMedia,
    useFactory: ({ config, scratchFolder }: IngestContext, { decoder }: OpenedMediaDecoder) =>
      new LiveMedia({ decoder, scratchFolder, places: new LivePlaces(config.LIVE_DECODERS ?? defaultLiveDecoders()) }),
    inject: [SERVICE_CONTEXT, MEDIA_DECODER],
  },
  {
    provide: ClipCutter,
    useFactory: ({ config, scratchFolder }: IngestContext, { decoder }: OpenedMediaDecoder, store: MediaStore, budget: ScratchBudget) =>
      new ClipCutter({ store, decoder, scratchFolder, budget, places: new FairPlaces(config.CLIP_CONCURRENCY), limitMs: config.CLIP_SECONDS * 1000 }),
    inject: [SERVICE_CONTEXT, MEDIA_DECODER, MEDIA_STORE, SCRATCH_BUDGET],
  },
];

/** A try that receives nothing for a third of the time allowed is given up, so that two more are possible. */
function fetchLimits({ MEDIA_MAX_BYTES, MEDIA_SILENCE_SECONDS, MEDIA_FETCH_SECONDS }: IngestConfig): Partial<FetchLimits> {
  const silenceMs = MEDIA_SILENCE_SECONDS * 1000;
  return { maxBytes: MEDIA_MAX_BYTES, silenceMs, stallMs: Math.ceil(silenceMs / 3), totalMs: MEDIA_FETCH_SECONDS * 1000 };
}
