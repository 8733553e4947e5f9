import { Inject, Injectable } from '@nestjs/common';
import type { Egress } from '@parlance/egress';
import { toAppError, type FieldError } from '@parlance/platform';
import { canonicalLanguage, takesLanguage } from '../languages/language-tag.js';
import { EngineLanguages } from '../languages/engine-languages.js';
import { EGRESS } from './egress.provider.js';

/** Checks of a body beyond its shape: addresses that this server may contact, a language that the engine supports. */
@Injectable()
export class RequestRules {
  constructor(
    @Inject(EGRESS) private readonly egress: Pick<Egress, 'assertAllowedUrl'>,
    @Inject(EngineLanguages) private readonly languages: EngineLanguages,
  ) {}

  /** @param body of any shape; what has the wrong type is left to the schema. */
  async violations(body: unknown): Promise<FieldError[]> {
    const text = (name: string): string | undefined => {
      const value = (body as Record<string, unknown> | null | undefined)?.[name];
      return typeof value === 'string' ? value : undefined;
    };
    return [
      ...this.addressErrors('/audio_url', text('audio_url')),
      ...this.addressErrors('/callback_url', text('callback_url')),
      ...this.addressErrors('/url', text('url')),
      ...(await this.languageErrors(text('language'))),
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
      return [{ pointer, code, detail: code === 'invalid_url' && pointer !== '/audio_url' && holdsCredentials(url) ? NO_CREDENTIALS : message }];
    }
  }

  private async languageErrors(language: string | undefined): Promise<FieldError[]> {
    if (language === undefined || canonicalLanguage(language) === undefined) return [];
    const engine = await this.languages.known();
    if (!engine || takesLanguage(engine.languages, language)) return [];
    const detail = `The speech engine does not support ${language}; it supports: ${engine.languages.join(', ')}.`;
    return [{ pointer: '/language', code: 'language_unsupported', detail: detail.slice(0, 500) }];
  }
}

/** A presigned URL, as for media, is nothing for a receiver. */
const NO_CREDENTIALS = 'The URL contains credentials. Remove them: webhooks are signed, so that the receiver can verify the sender.';

const holdsCredentials = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.username !== '' || parsed.password !== '');
};
