import type { Egress } from '@parlance/egress';
import { toAppError, type FieldError } from '@parlance/platform';
import { takesLanguage } from '../languages/language-tag.js';
import type { EngineLanguages } from '../languages/engine-languages.js';
import type { UploadOptions } from './job-options-schema.js';

/** What a valid body must meet besides its shape: addresses this server may contact, a language the engine takes. */
export class RequestRules {
  constructor(
    private readonly egress: Pick<Egress, 'assertAllowedUrl'>,
    private readonly languages: EngineLanguages,
  ) {}

  async violations(body: UploadOptions & { audio_url?: string }): Promise<FieldError[]> {
    return [
      ...this.addressErrors('/audio_url', body.audio_url),
      ...this.addressErrors('/callback_url', body.callback_url),
      ...(await this.languageErrors(body.language)),
    ];
  }

  private addressErrors(pointer: string, url: string | undefined): FieldError[] {
    if (url === undefined) return [];
    try {
      this.egress.assertAllowedUrl(url);
      return [];
    } catch (thrown) {
      const { kind, code, message } = toAppError(thrown);
      if (kind === 'internal') throw thrown;
      return [{ pointer, code, detail: message }];
    }
  }

  private async languageErrors(language: string | undefined): Promise<FieldError[]> {
    const engine = language === undefined ? undefined : await this.languages.known();
    if (language === undefined || !engine || takesLanguage(engine.languages, language)) return [];
    const detail = `The speech engine does not take ${language}; it takes: ${engine.languages.join(', ')}.`;
    return [{ pointer: '/language', code: 'language_unsupported', detail: detail.slice(0, 500) }];
  }
}
