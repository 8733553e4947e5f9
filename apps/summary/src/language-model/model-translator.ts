import { generateStructured, type LanguageModel, type LanguageModelMessage } from '@parlance/engines';
import { keepSuccess } from '@parlance/platform';
import type { SpokenLine } from '@parlance/text-analysis';
import { z } from 'zod';
import type { TranslatedBatch, TranslationBatch, Translator } from '../translations/translator.js';
import { languageName } from './model-calls.js';
import { Prompts } from './prompts.js';
import { tagFor, transcriptParts, written } from './transcript-parts.js';

/** Segments of a request; a model that translates more of them at once more often loses count. */
const MAX_SEGMENTS = 40;
/** Segments that are shown before and after those that are translated. */
const CONTEXT = { before: 3, after: 2 };
/** Tokens of a translation for each token of the transcript, at most: other scripts take more. */
const GROWTH = 3;
/** Tokens for the prompt, the context and a second attempt. */
const OVERHEAD = 3000;
const MIN_TOKENS = 200;

/** Translates segments by a language model. Each answer has exactly the segments of its request, in their order. */
export class ModelTranslator implements Translator {
  readonly #prompts = keepSuccess(() => Prompts.load());

  constructor(private readonly model: LanguageModel) {}

  get name(): string {
    return this.model.info.name;
  }

  get languages(): readonly string[] {
    return this.model.info.languages;
  }

  batches(lines: readonly SpokenLine[]): TranslationBatch[] {
    const { contextTokens, maxOutputTokens } = this.model.info;
    const most = Math.max(MIN_TOKENS, Math.min(maxOutputTokens / GROWTH, contextTokens - maxOutputTokens - OVERHEAD));
    return transcriptParts(lines, most, (text) => this.model.countTokens(text), MAX_SEGMENTS).map(({ first, lines: own }) => ({
      first,
      lines: own,
      before: lines.slice(Math.max(0, first - CONTEXT.before), first),
      after: lines.slice(first + own.length, first + own.length + CONTEXT.after),
    }));
  }

  async translate(batch: TranslationBatch, language: string, signal: AbortSignal): Promise<TranslatedBatch> {
    const numbers = batch.lines.map((_line, index) => batch.first + index);
    const schema = z
      .strictObject({ segments: z.array(z.strictObject({ number: z.number(), text: z.string().trim().min(1) })).length(numbers.length) })
      .refine(({ segments }) => segments.every(({ number }, index) => number === numbers[index]), { message: `The numbers must be ${numbers.join(', ')}, in this order.` });
    const messages = await this.messages(batch, language);
    const { value, usage } = await generateStructured(this.model, { name: 'translation', schema, messages, temperature: 0, signal });
    return { texts: value.segments.map(({ text }) => text), usage };
  }

  private async messages({ first, lines, before, after }: TranslationBatch, language: string): Promise<LanguageModelMessage[]> {
    const prompts = await this.#prompts();
    const from = first - before.length;
    const material = [...before, ...lines, ...after].map((line, index) => written(line, from + index)).join('\n');
    const tag = tagFor(material);
    const content = prompts.fill('translation', { language: languageName(language), tag, first, last: first + lines.length - 1, count: lines.length });
    return [
      { role: 'system', content },
      { role: 'user', content: `<${tag}>\n${material}\n</${tag}>` },
    ];
  }
}
