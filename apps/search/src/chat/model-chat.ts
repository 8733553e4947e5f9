import { readFile } from 'node:fs/promises';
import { generationFailed, generationRefused, type LanguageModel, type LanguageModelMessage, type TokenMetrics } from '@parlance/engines';
import { keepSuccess } from '@parlance/platform';
import { numbered, type ChatEngine, type ChatEvent, type ChatQuestion, type ChatTurn, type SourceLine } from './chat-engine.js';
import { CitedText, NOTHING_SAID } from './cited-text.js';
import { notFoundAnswer } from './not-found-answer.js';

/** A changed prompt is a new file with a new version. */
const PROMPTS = { answer: './prompts/answer.v1.md', standalone: './prompts/standalone.v1.md' } as const;
/** Maximum tokens of lines. Models read long contexts with less care, and every token is paid for. */
const MAX_ROOM = 24_000;
const HISTORY_TURNS = 6;
/** Maximum characters of an earlier message or answer that are sent again. */
const HISTORY_LENGTH = 600;
const ANSWER_TOKENS = 1000;

/** Tokens of a message besides its text: its role and its separators. */
const MESSAGE_TOKENS = 8;
/** The share of the free context that earlier turns may take. */
const HISTORY_SHARE = 1 / 3;
const STANDALONE_TOKENS = 200;

/** The label of its tokens in metrics. */
const WORK = 'chat';

type ReadPrompt = (path: string) => Promise<string>;

/** Answers by a language model that reads the lines and must name those that support the answer. */
export class ModelChat implements ChatEngine {
  readonly name: string;
  private readonly prompts: () => Promise<Record<keyof typeof PROMPTS, string>>;

  constructor(
    private readonly model: LanguageModel,
    private readonly tokenMetrics: TokenMetrics,
    readPrompt: ReadPrompt = (path) => readFile(new URL(path, import.meta.url), 'utf8'),
  ) {
    this.name = model.info.name;
    this.prompts = keepSuccess(async () => {
      const [answer, standalone] = await Promise.all([readPrompt(PROMPTS.answer), readPrompt(PROMPTS.standalone)]);
      return { answer, standalone };
    });
  }

  async roomForLines(message: string, history: readonly ChatTurn[]): Promise<number> {
    return (await this.budget(message, history)).room;
  }

  async standalone(message: string, history: readonly ChatTurn[], signal: AbortSignal): Promise<string> {
    if (history.length === 0) return message;
    const { standalone } = await this.prompts();
    const ends: LanguageModelMessage[] = [{ role: 'system', content: standalone }, { role: 'user', content: message }];
    const earlier = this.fittingTurns(history, this.model.info.contextTokens - this.tokens(ends) - STANDALONE_TOKENS);
    const messages = ends.toSpliced(1, 0, ...earlier);
    const { text, finishReason, usage } = await this.model.generate({ messages, maxOutputTokens: STANDALONE_TOKENS, temperature: 0, signal });
    this.tokenMetrics.used(WORK, this.name, usage);
    const question = text.trim();
    return finishReason === 'complete' && question !== '' ? question.slice(0, 2000) : message;
  }

  /** @throws AppError engine_refused, engine_failed: an empty answer of the model does not mean that the transcripts contain none */
  async *answer({ message, history, lines, signal }: ChatQuestion): AsyncGenerator<ChatEvent> {
    const { room, earlier } = await this.budget(message, history);
    const shown = this.fitting(lines, room);
    const text = new CitedText(shown.length);
    let isEmpty = true;
    let isSilent = true;
    const events = this.model.stream({ messages: await this.messages(message, earlier, shown), maxOutputTokens: this.answerTokens, temperature: 0, signal });
    for await (const event of events) {
      if (event.type === 'end') this.tokenMetrics.used(WORK, this.name, event.usage);
      if (event.type === 'end' && event.finishReason === 'filtered') throw generationRefused();
      if (event.type === 'delta') isSilent &&= event.text.trim() === '';
      const delta = event.type === 'delta' ? text.push(event.text) : text.end();
      if (delta !== '') yield { type: 'delta', text: delta };
      isEmpty &&= delta === '';
    }
    if (isSilent) throw generationFailed('The language model returned an empty answer.', true);
    if (isEmpty) yield { type: 'delta', text: await notFoundAnswer(message) };
    yield { type: 'end', cited: text.isNothing ? [] : [...text.cited].flatMap((number) => shown[number - 1] ?? []) };
  }

  private get answerTokens(): number {
    return Math.min(ANSWER_TOKENS, this.model.info.maxOutputTokens);
  }

  /** Divides the context: instructions, question and answer first, then the last turns, then lines. */
  private async budget(message: string, history: readonly ChatTurn[]): Promise<{ room: number; earlier: LanguageModelMessage[] }> {
    const { contextTokens } = this.model.info;
    const { answer } = await this.prompts();
    const free = contextTokens - this.answerTokens - this.tokens([{ role: 'system', content: answer }, { role: 'user', content: message }]);
    const earlier = this.fittingTurns(history, free * HISTORY_SHARE);
    const room = Math.floor(Math.min(MAX_ROOM, contextTokens / 2, free - this.tokens(earlier) - MESSAGE_TOKENS));
    return { room: Math.max(0, room), earlier };
  }

  private async messages(message: string, earlier: readonly LanguageModelMessage[], lines: readonly SourceLine[]): Promise<LanguageModelMessage[]> {
    const { answer } = await this.prompts();
    const material = lines.map(({ speaker, text }, index) => `[${index + 1}] ${speaker === undefined ? '' : `${speaker}: `}${text.replaceAll(/\s+/gu, ' ')}`).join('\n');
    const tag = tagFor(material);
    return [
      { role: 'system', content: answer.replaceAll('{{tag}}', tag).replaceAll('{{nothing}}', NOTHING_SAID) },
      { role: 'user', content: `<${tag}>\n${material}\n</${tag}>` },
      ...earlier,
      { role: 'user', content: message },
    ];
  }

  /** As many of the best passages as there is room for, in the order in which they were given. */
  private fitting(lines: readonly SourceLine[], room: number): SourceLine[] {
    let left = room;
    return lines.filter((line) => (left -= this.model.countTokens(numbered(line))) >= 0);
  }

  /** The last turns that there is room for, without a gap. */
  private fittingTurns(history: readonly ChatTurn[], room: number): LanguageModelMessage[] {
    const kept: LanguageModelMessage[] = [];
    let left = room;
    for (const turn of history.slice(-HISTORY_TURNS).toReversed()) {
      const messages = messagesOf(turn);
      left -= this.tokens(messages);
      if (left < 0) break;
      kept.unshift(...messages);
    }
    return kept;
  }

  private tokens(messages: readonly LanguageModelMessage[]): number {
    return messages.reduce((sum, { content }) => sum + MESSAGE_TOKENS + this.model.countTokens(content), 0);
  }
}

/** The two messages of a turn, each shortened. */
const messagesOf = ({ message, answer }: ChatTurn): LanguageModelMessage[] => [
  { role: 'user', content: message.slice(0, HISTORY_LENGTH) },
  { role: 'assistant', content: answer.slice(0, HISTORY_LENGTH) },
];

/** A tag that does not occur in the material, so that the material cannot close it. */
function tagFor(material: string): string {
  let tag = 'transcript';
  for (let number = 1; material.includes(tag); number++) tag = `transcript-${number}`;
  return tag;
}
