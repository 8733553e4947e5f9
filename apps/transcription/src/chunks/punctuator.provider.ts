import type { Provider } from '@nestjs/common';
import { punctuatorFromUrl } from '@parlance/engines';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { transcriptionConfig } from '../transcription.config.js';

export const PUNCTUATOR = Symbol('Punctuator');

/** The punctuator that PUNCTUATION_ENGINE_URL names. Throws ConfigError when the URL is wrong. */
export const punctuator: Provider = {
  provide: PUNCTUATOR,
  useFactory: (context: ServiceContext<typeof transcriptionConfig>) => punctuatorFromUrl(context.config.PUNCTUATION_ENGINE_URL, context),
  inject: [SERVICE_CONTEXT],
};
