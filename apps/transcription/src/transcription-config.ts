import { DEFAULT_SPEECH_ENGINE_URL } from '@parlance/engines';
import { integer } from '@parlance/platform';
import { z } from 'zod';

export const transcriptionConfig = {
  SPEECH_ENGINE_URL: z
    .string()
    .default(DEFAULT_SPEECH_ENGINE_URL)
    .describe('Speech engine: pocketsphinx: (built-in, English), openai+https://host/v1?model=… or fixture: (tests)'),
  SPEECH_ENGINE_API_KEY: z.string().optional().describe('Secret: key of an OpenAI-compatible speech engine'),
  CHUNK_CONCURRENCY: integer(1, 1024).optional().describe('Chunks transcribed at once in this process; default what the engine wants on this machine'),
  CHUNK_TIMEOUT_SECONDS: integer(1, 3600).default(300).describe('Seconds the engine may take for one chunk'),
  CHUNK_MAX_ATTEMPTS: integer(1, 20).default(3).describe('Tries of one chunk before its job fails'),
} as const;
