import type { Provider } from '@nestjs/common';
import { diarizerFromUrl } from '@parlance/engines';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { diarizationConfig } from '../diarization.config.js';

export const SPEAKER_DIARIZER = Symbol('SpeakerDiarizer');

/** The engine that DIARIZATION_ENGINE_URL names. Throws ConfigError when the URL is wrong. */
export const speakerDiarizer: Provider = {
  provide: SPEAKER_DIARIZER,
  useFactory: (context: ServiceContext<typeof diarizationConfig>) => diarizerFromUrl(context.config.DIARIZATION_ENGINE_URL, context),
  inject: [SERVICE_CONTEXT],
};
