import type { Provider } from '@nestjs/common';
import { languageModelFromUrl } from '@parlance/engines';
import { CONFIG } from '@parlance/runtime';
import { ThreadedExtractiveEngine } from '../extractive/threaded-extractive-engine.js';
import { LanguageModelEngine } from '../language-model/language-model-engine.js';
import type { SummaryConfig } from '../summary.config.js';
import type { SummaryEngine } from './summary-engine.js';

export const SUMMARY_ENGINE = Symbol('SummaryEngine');

/** The language model that LANGUAGE_MODEL_URL names, or the built-in engine. Throws ConfigError when the URL is wrong. */
export const summaryEngine: Provider = {
  provide: SUMMARY_ENGINE,
  useFactory: ({ LANGUAGE_MODEL_URL, LANGUAGE_MODEL_API_KEY }: SummaryConfig): SummaryEngine => {
    const model = languageModelFromUrl(LANGUAGE_MODEL_URL, { apiKey: LANGUAGE_MODEL_API_KEY });
    return model ? new LanguageModelEngine(model, new ThreadedExtractiveEngine()) : new ThreadedExtractiveEngine();
  },
  inject: [CONFIG],
};
