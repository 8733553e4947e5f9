import type { Provider } from '@nestjs/common';
import { SpeechEngines, StreamingEngines, streamingEnginesFromSettings } from '@parlance/engines';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { transcriptionConfig } from '../transcription.config.js';

/** The engines of live audio. Throws ConfigError when LIVE_ENGINE_URL is wrong. */
export const liveEngines: Provider = {
  provide: StreamingEngines,
  useFactory: ({ config, modelsFolder }: ServiceContext<typeof transcriptionConfig>, engines: SpeechEngines) => streamingEnginesFromSettings(config, engines, { modelsFolder }),
  inject: [SERVICE_CONTEXT, SpeechEngines],
};
