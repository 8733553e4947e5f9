import { DEFAULT_DIARIZATION_ENGINE_URL } from '@parlance/engines';
import { integer, type ConfigOf } from '@parlance/platform';
import { z } from 'zod';

export const diarizationConfig = {
  DIARIZATION_ENGINE_URL: z.string().default(DEFAULT_DIARIZATION_ENGINE_URL).describe('Diarization engine: built-in: (offline, any language), sherpa: (neural models of MODELS_FOLDER) or fixture: (tests)'),
  DIARIZATION_CONCURRENCY: integer(1, 64).default(2).describe('Recordings that are diarized at the same time in this process; each keeps one core busy'),
  DIARIZATION_TIMEOUT_MINUTES: integer(1, 24 * 60).default(60).describe('Minutes that the diarization of one recording may take'),
  DIARIZATION_MAX_ATTEMPTS: integer(1, 20).default(3).describe('Attempts before the diarization stage of a job fails'),
} as const;

export type DiarizationConfig = ConfigOf<typeof diarizationConfig>;
