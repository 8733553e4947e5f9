import type { Provider } from '@nestjs/common';
import { SpeechEngines, speechEnginesFromSettings } from '@parlance/engines';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { transcriptionConfig } from '../transcription.config.js';

/** The engines that the settings name. Throws ConfigError when one is wrong. */
export const speechEngines: Provider = {
  provide: SpeechEngines,
  useFactory: ({ config, scratchFolder, modelsFolder }: ServiceContext<typeof transcriptionConfig>) => speechEnginesFromSettings(config, { temporaryFolder: scratchFolder, modelsFolder }),
  inject: [SERVICE_CONTEXT],
};
