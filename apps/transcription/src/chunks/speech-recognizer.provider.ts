import type { Provider } from '@nestjs/common';
import { recognizerFromUrl } from '@parlance/engines';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { transcriptionConfig } from '../transcription.config.js';

export const SPEECH_RECOGNIZER = Symbol('SpeechRecognizer');

/** The engine that SPEECH_ENGINE_URL names. Throws ConfigError when the URL is wrong. */
export const speechRecognizer: Provider = {
  provide: SPEECH_RECOGNIZER,
  useFactory: ({ config: { SPEECH_ENGINE_URL, SPEECH_ENGINE_API_KEY }, scratchFolder, modelsFolder }: ServiceContext<typeof transcriptionConfig>) =>
    recognizerFromUrl(SPEECH_ENGINE_URL, {
      temporaryFolder: scratchFolder,
      modelsFolder,
      ...(SPEECH_ENGINE_API_KEY !== undefined && { apiKey: SPEECH_ENGINE_API_KEY }),
    }),
  inject: [SERVICE_CONTEXT],
};
