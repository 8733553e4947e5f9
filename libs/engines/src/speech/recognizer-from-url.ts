import { ConfigError } from '@parlance/platform';
import { z } from 'zod';
import { FixtureRecognizer } from './fixture/fixture-recognizer.js';
import { OpenAiRecognizer } from './openai/openai-recognizer.js';
import { PocketsphinxRecognizer } from './pocketsphinx/pocketsphinx-recognizer.js';
import type { SpeechRecognizer } from './speech-recognizer.js';

export const DEFAULT_SPEECH_ENGINE_URL = 'pocketsphinx:';

export interface RecognizerSurroundings {
  /** For `openai+…`. */
  apiKey?: string;
  /** Where an engine that runs as a program keeps the files of its calls; default: the system's. */
  temporaryFolder?: string;
  fetch?: typeof globalThis.fetch;
}

const count = z.coerce.number().int().positive();
const times = z.coerce.number().int().nonnegative();

const POCKETSPHINX = z.strictObject({
  binary: z.string().optional(),
  model: z.string().optional(),
  parallelism: count.optional(),
});
const OPENAI = z.strictObject({
  model: z.string().default('whisper-1'),
  parallelism: count.optional(),
  timeoutSeconds: count.optional(),
  maxRetries: times.optional(),
});
const FIXTURE = z.strictObject({
  words: z
    .string()
    .transform((text) => text.split(','))
    .optional(),
  language: z.string().optional(),
  delayMs: times.optional(),
  failTimes: times.optional(),
  hangTimes: times.optional(),
  crashMarker: z.string().optional(),
  callLog: z.string().optional(),
  parallelism: count.optional(),
  maxChunkSeconds: count.optional(),
  idealChunkSeconds: count.optional(),
});

/**
 * The engine that SPEECH_ENGINE_URL names:
 * `pocketsphinx:[?binary=&model=&parallelism=]`, `openai+https://host/v1[?model=&parallelism=&timeoutSeconds=&maxRetries=]`
 * (or `openai+http:`), `fixture:[?…]` (tests). Nothing is started or loaded here.
 * @throws ConfigError naming what is wrong with the URL, which it does not repeat: it may hold a secret.
 */
export function recognizerFromUrl(url: string, { temporaryFolder, ...api }: RecognizerSurroundings = {}): SpeechRecognizer {
  if (!URL.canParse(url)) throw wrong('is not a URL; use pocketsphinx:, openai+https://host/v1 or fixture:');
  const parsed = new URL(url);
  switch (parsed.protocol) {
    case 'pocketsphinx:':
      return new PocketsphinxRecognizer({ ...optionsOf(parsed, POCKETSPHINX), ...(temporaryFolder !== undefined && { temporaryFolder }) });
    case 'openai+http:':
    case 'openai+https:':
      return new OpenAiRecognizer({ ...optionsOf(parsed, OPENAI), baseUrl: baseUrlOf(parsed), ...api });
    case 'fixture:':
      return new FixtureRecognizer(optionsOf(parsed, FIXTURE));
    default:
      throw wrong(`has the unknown scheme '${parsed.protocol}'; use pocketsphinx:, openai+https://host/v1 or fixture:`);
  }
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function optionsOf<S extends z.ZodType<object>>(url: URL, schema: S): Defined<z.output<S>> {
  const parsed = schema.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `SPEECH_ENGINE_URL: ${[...issue.path, issue.message].join(': ')}`);
    throw new ConfigError(problems);
  }
  return parsed.data as Defined<z.output<S>>;
}

function baseUrlOf(url: URL): string {
  if (url.username !== '' || url.password !== '') throw wrong('must not hold a user or password; give the key as a setting of its own');
  if (url.host === '') throw wrong('has no host');
  return `${url.protocol.slice('openai+'.length)}//${url.host}${url.pathname.replace(/\/$/, '')}`;
}

const wrong = (what: string) => new ConfigError([`SPEECH_ENGINE_URL: ${what}`]);
