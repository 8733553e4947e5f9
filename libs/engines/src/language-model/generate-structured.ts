import { z } from 'zod';
import { ServerFault, withoutStack } from '../openai/server-fault.js';
import { generationFailed, generationRefused } from './language-model-errors.js';
import type { Generation, GenerationRequest, LanguageModel, LanguageModelMessage, TokenUsage } from './language-model.js';

interface StructuredRequest<T> extends Omit<GenerationRequest, 'schema'> {
  /** The name of the answer's schema, for servers that require one: letters, digits, underscores. */
  name: string;
  schema: z.ZodType<T>;
}

interface StructuredAnswer<T> {
  value: T;
  /** The usage of all attempts; undefined when the server does not count. */
  usage?: TokenUsage;
}

/** A broken answer is shown to the model up to here: what is wrong is most often at its beginning, or that it has no end. */
const SHOWN_LENGTH = 4000;

/**
 * An answer of the schema's form. What does not have it, is cut off or is no JSON at all is given back once, with what is wrong.
 * @throws AppError engine_failed when the second try is no better, engine_refused, and what the model throws
 */
export async function generateStructured<T>(model: LanguageModel, { schema, name, messages, ...rest }: StructuredRequest<T>): Promise<StructuredAnswer<T>> {
  const definition = z.toJSONSchema(schema) as Record<string, unknown>;
  const ask = (asked: readonly LanguageModelMessage[]) => model.generate({ ...rest, messages: asked, schema: { name, definition } });
  const first = await ask(messages);
  const read = readAnswer(schema, first);
  if ('value' in read) return withUsage(read.value, first.usage);
  const second = await ask([...messages, { role: 'assistant', content: first.text.slice(0, SHOWN_LENGTH) }, { role: 'user', content: repairOf(read.problem) }]);
  const again = readAnswer(schema, second);
  if ('value' in again) return withUsage(again.value, sumUsage(first.usage, second.usage));
  throw withoutStack(generationFailed('The language model answered in a format that cannot be read.', true, new ServerFault(again.code)));
}

/** The problem is for the model and may quote it; the code is for the log. */
type Reading<T> = { value: T } | { problem: string; code: string };

function readAnswer<T>(schema: z.ZodType<T>, { text, finishReason }: Generation): Reading<T> {
  if (finishReason === 'filtered') throw generationRefused();
  if (finishReason === 'length') return { problem: 'It was cut off because it is too long: give fewer and shorter items.', code: 'cut_off' };
  let json: unknown;
  try {
    json = JSON.parse(withoutFence(text));
  } catch {
    return { problem: 'It is not JSON.', code: 'no_json' };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  const codes = new Set(parsed.error.issues.map((issue) => issue.code));
  return { problem: z.prettifyError(parsed.error).slice(0, 1000), code: [...codes].toSorted().join(', ') };
}

/** Models like to write JSON as a block of Markdown, with a word before it. */
function withoutFence(text: string): string {
  const [, opening, ...rest] = text.split('```');
  const fenced = opening === undefined || rest.length === 0 ? undefined : /^(?:json)?[^\S\n]*\n([^]*)/.exec(opening)?.[1];
  return (fenced ?? text).trim();
}

const repairOf = (problem: string): string =>
  `Your answer cannot be used. ${problem}\nGive the whole answer again, as one JSON object of the requested form and nothing else.`;

const withUsage = <T>(value: T, usage: TokenUsage | undefined): StructuredAnswer<T> => (usage ? { value, usage } : { value });

export function sumUsage(a: TokenUsage | undefined, b: TokenUsage | undefined): TokenUsage | undefined {
  if (!a || !b) return a ?? b;
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}
