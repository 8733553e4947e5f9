import { Inject, Injectable } from '@nestjs/common';
import type { LiveService } from '@parlance/contracts';
import { toAppError } from '@parlance/platform';
import { LIVE_SERVICE } from '@parlance/runtime';
import { invalidFields } from '../http/field-errors.js';
import { takesLanguage } from '../languages/language-tag.js';
import type { NewLive } from './live-schema.js';

/** Checks that an engine can recognize a session, before it is created. */
@Injectable()
export class LiveEngines {
  constructor(@Inject(LIVE_SERVICE) private readonly live: Pick<LiveService, 'getLiveEngine'>) {}

  /** @throws AppError invalid_request with model_unknown or language_unsupported; service_unavailable */
  async require({ model, language }: Pick<NewLive, 'model' | 'language'>): Promise<void> {
    const { languages } = await this.live.getLiveEngine({ model }).catch(unknownModel);
    if (typeof language !== 'string' || languages.length === 0 || takesLanguage(languages, language)) return;
    throw invalidFields([{ pointer: '/language', code: 'language_unsupported', detail: `The engine for live audio does not support ${language}; it supports: ${languages.join(', ')}.`.slice(0, 500) }]);
  }
}

function unknownModel(error: unknown): never {
  const { kind, message } = toAppError(error);
  if (kind !== 'not_found') throw error;
  throw invalidFields([{ pointer: '/model', code: 'model_unknown', detail: message }]);
}
