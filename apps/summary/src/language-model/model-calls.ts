import { generateStructured, sumUsage, type LanguageModel, type LanguageModelMessage, type TokenUsage } from '@parlance/engines';
import type { z } from 'zod';
import type { TranscriptText } from '../engine/summary-engine.js';
import type { Prompts } from './prompts.js';
import { tagFor } from './transcript-parts.js';

interface ModelQuestion<T> {
  name: string;
  schema: z.ZodType<T>;
  /** The instructions of the prompt. */
  task: string;
  /** The user's own instructions. */
  wishes?: string | undefined;
  /** The transcript or notes on it. */
  material: string;
}

/** Repeatable as far as the model can. */
const TEMPERATURE = 0;
/** Tokens for the answer's schema, and for how each model marks its messages. */
const OVERHEAD = 800;
/** Tokens for a second attempt, in which the model is shown the beginning of its first answer. */
const REPAIR = 1400;

/** Calls the model about one transcript, with the same rules each time and the material apart from them. Counts tokens. */
export class ModelCalls {
  usage: TokenUsage | undefined;

  constructor(
    private readonly model: LanguageModel,
    private readonly prompts: Prompts,
    private readonly language: string,
    private readonly signal: AbortSignal,
  ) {}

  async ask<T>({ name, schema, task, wishes, material }: ModelQuestion<T>): Promise<T> {
    const messages = this.messages(task, material, wishes);
    const { value, usage } = await generateStructured(this.model, { name, schema, messages, temperature: TEMPERATURE, signal: this.signal });
    this.usage = sumUsage(this.usage, usage);
    return value;
  }

  /** @returns the tokens that are left for the material besides the prompt and the answer */
  room(task: string, wishes = ''): number {
    const { contextTokens, maxOutputTokens } = this.model.info;
    const asked = this.messages(task, '', wishes).reduce((sum, { content }) => sum + this.model.countTokens(content), 0);
    return Math.max(500, contextTokens - maxOutputTokens - Math.min(maxOutputTokens, REPAIR) - asked - OVERHEAD);
  }

  private messages(task: string, material: string, wishes: string | undefined): LanguageModelMessage[] {
    const tag = tagFor(material);
    const rules = this.prompts.fill('rules', { tag, language: languageName(this.language) });
    const asked = wishes === undefined || wishes === '' ? '' : `The user of this service asks you to heed this: ${JSON.stringify(wishes)}\n\n`;
    return [
      { role: 'system', content: `${rules}\n\n${task}` },
      { role: 'user', content: `${asked}<${tag}>\n${material}\n</${tag}>` },
    ];
  }
}

/** `German (de)`. */
export function languageName(tag: string): string {
  if (tag === 'und') return 'the language of the transcript';
  try {
    return `${new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag} (${tag})`;
  } catch {
    return tag;
  }
}

/** The names of the speaker labels, as far as the user has named them. */
export function speakerList({ speakers }: TranscriptText): string {
  if (speakers.length === 0) return '';
  return `Speakers: ${speakers.map(({ speakerId, name }) => `${speakerId} is called ${JSON.stringify(name)}`).join(', ')}\n`;
}
