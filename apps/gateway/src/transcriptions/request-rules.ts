import { Inject, Injectable } from '@nestjs/common';
import type { Egress } from '@parlance/egress';
import { languageHint } from '@parlance/languages';
import { toAppError, type FieldError } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { GatewayConfig } from '../gateway.config.js';
import { canonicalLanguage, takesLanguage } from '../languages/language-tag.js';
import { findModel, SpeechModels, unknownModel, type SpeechModel } from '../languages/speech-models.js';
import { EGRESS } from './egress.provider.js';

/** Checks of a body beyond its shape: addresses that this server may contact, a speech engine that it has, languages that the engine supports. */
@Injectable()
export class RequestRules {
  constructor(
    @Inject(EGRESS) private readonly egress: Pick<Egress, 'assertAllowedUrl'>,
    @Inject(SpeechModels) private readonly models: SpeechModels,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'SECRETS_KEY'>,
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
      ...this.redactionErrors((body as Record<string, unknown> | null | undefined)?.['redaction']),
      ...(await this.engineErrors(text('model'), languagesOf((body as Record<string, unknown> | null | undefined)?.['language']))),
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

  private redactionErrors(redaction: unknown): FieldError[] {
    const isHashed = (redaction as Record<string, unknown> | null | undefined)?.['style'] === 'hash';
    if (!isHashed || this.config.SECRETS_KEY !== undefined) return [];
    return [{ pointer: '/redaction/style', code: 'not_supported', detail: 'This server cannot hash: its operator has set no SECRETS_KEY.' }];
  }

  private async engineErrors(name: string | undefined, asked: AskedLanguage[]): Promise<FieldError[]> {
    const tags = asked.filter(({ tag }) => tag === undefined || canonicalLanguage(tag) !== undefined);
    if (name === undefined && tags.length === 0) return [];
    const models = await this.models.known();
    if (!models) return [];
    const model = findModel(models, name);
    if (!model) return [unknownModel('/model', models)];
    return tags.flatMap((each) => languageErrors(model, each));
  }
}

interface AskedLanguage {
  pointer: string;
  /** Undefined for an object, which stands for a detection. */
  tag?: string;
}

/** The languages in `language` of a body, whatever its shape; a value of a wrong type is left to the schema. */
function languagesOf(language: unknown): AskedLanguage[] {
  if (typeof language === 'string') return [{ pointer: '/language', tag: language }];
  if (typeof language !== 'object' || language === null) return [];
  const { expected, fallback } = language as Record<string, unknown>;
  const list = Array.isArray(expected) ? (expected as unknown[]).slice(0, MAX_JUDGED).map((tag, index) => [`/language/expected/${index}`, tag] as const) : [];
  const tags = [...list, ['/language/fallback', fallback] as const].flatMap(([pointer, tag]) => (typeof tag === 'string' ? [{ pointer, tag }] : []));
  return [{ pointer: '/language' }, ...tags];
}

/** More languages are refused by the schema. */
const MAX_JUDGED = 20;

function languageErrors({ model, engine, reportsLanguage }: SpeechModel, { pointer, tag }: AskedLanguage): FieldError[] {
  if (tag === undefined) {
    const detail = `The model ${model} does not report the language that it detects, so that detection cannot be limited; give one language as a string.`;
    return reportsLanguage ? [] : [{ pointer, code: 'not_supported', detail }];
  }
  if (takesLanguage(engine.languages, tag)) return [];
  const hint = languageHint(tag);
  const detail = `The speech engine does not support ${tag}; it supports: ${engine.languages.join(', ')}.`;
  return [{ pointer, code: 'language_unsupported', detail: `${hint === undefined ? '' : `${hint} `}${detail}`.slice(0, 500) }];
}

/** A presigned URL, as for media, is nothing for a receiver. */
const NO_CREDENTIALS = 'The URL contains credentials. Remove them: webhooks are signed, so that the receiver can verify the sender.';

const holdsCredentials = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.username !== '' || parsed.password !== '');
};
