import { DEFAULT_PUNCTUATION_ENGINE_URL, DEFAULT_SPEECH_ENGINE_URL, NO_LANGUAGE_MODEL_URL } from '@parlance/engines';
import { integer, type ConfigOf } from '@parlance/platform';
import { z } from 'zod';

export const transcriptionConfig = {
  SPEECH_ENGINE_URL: z
    .string()
    .default(DEFAULT_SPEECH_ENGINE_URL)
    .describe('Speech engine: pocketsphinx: (built-in, English), openai+https://host/v1?model=…, sherpa:whisper-small (a model of MODELS_FOLDER, or the path of a folder) or fixture: (tests)'),
  SPEECH_ENGINE_API_KEY: z.string().optional().describe('Secret: API key of an OpenAI-compatible speech engine'),
  SPEECH_ENGINES: z
    .string()
    .optional()
    .describe('Further speech engines that a job can choose by `model`, as name=URL,name=URL, separated by commas or spaces; URLs as in SPEECH_ENGINE_URL, whose engine has the name default. Every replica needs the same list'),
  SPEECH_ENGINE_API_KEYS: z.string().optional().describe('Secret: API keys of the engines of SPEECH_ENGINES, as name=key,name=key'),
  SPEECH_ENGINE_PRICES: z.string().optional().describe('Prices of a minute of audio that `GET /api/v1/models` shows, as name=amount and currency, such as default=0.002EUR,careful=0.006EUR'),
  LIVE_ENGINE_URL: z
    .string()
    .optional()
    .describe('Engine of live sessions that name no model: sherpa-online:zipformer-streaming-en (a streaming model of MODELS_FOLDER, or the path of a folder) or openai-realtime+https://host/v1?model=…; default: the engine of SPEECH_ENGINE_URL, which recognizes each utterance several times while it grows'),
  LIVE_ENGINE_API_KEY: z.string().optional().describe('Secret: API key of an OpenAI-compatible LIVE_ENGINE_URL'),
  LIVE_STREAMS: integer(1, 100_000).default(100).describe('Live streams that this process recognizes at once, in fair shares of the accounts; a quiet one gives its place to one that is spoken into. Further ones are refused, and go to another process'),
  PUNCTUATION_ENGINE_URL: z
    .string()
    .default(DEFAULT_PUNCTUATION_ENGINE_URL)
    .describe('Punctuation of engines that give bare words: rules: (built-in, English) or sherpa:punct-ct-transformer-zh-en (a model of MODELS_FOLDER, or the path of a folder)'),
  REDACTION_MODEL_URL: z
    .string()
    .default(NO_LANGUAGE_MODEL_URL)
    .describe('Language model that finds names to redact, besides the rules: built-in: (none) or openai+https://host/v1?model=…. It reads the words before they are redacted, so it should be your own'),
  REDACTION_MODEL_API_KEY: z.string().optional().describe('Secret: API key of the server of REDACTION_MODEL_URL'),
  CHUNK_CONCURRENCY: integer(1, 1024).optional().describe('Chunks transcribed at the same time in this process, by each engine; default: what each engine recommends for this machine'),
  CHUNK_TIMEOUT_SECONDS: integer(1, 3600).default(300).describe('Seconds the engine may take for one chunk, or for one utterance of a live session'),
  DOCUMENT_CONCURRENCY: integer(1, 64).default(2).describe('DOCX and PDF files written at the same time in this process, each in a thread of up to 150 MB; others wait'),
  DOCUMENT_WAIT_SECONDS: integer(1, 300).default(30).describe('Seconds that a DOCX or PDF waits for a thread before the request is refused with 503'),
  DOCUMENT_SPOOL_MAX_BYTES: integer(1)
    .default(1024 ** 3)
    .describe('Bytes of the scratch folder that DOCX and PDF files may take while they are downloaded, 1 GiB: a few MB for ten hours of audio; further requests are refused with 503'),
  CHUNK_MAX_ATTEMPTS: integer(1, 20).default(3).describe('Attempts at one chunk before its job fails'),
} as const;

export type TranscriptionConfig = ConfigOf<typeof transcriptionConfig>;
