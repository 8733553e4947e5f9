import { DEFAULT_DIARIZATION_ENGINE_URL } from '@parlance/engines';
import { integer } from '@parlance/platform';
import { z } from 'zod';

export const diarizationConfig = {
  DIARIZATION_ENGINE_URL: z.string().default(DEFAULT_DIARIZATION_ENGINE_URL).describe('What tells speakers apart: built-in: (offline, any language), sherpa: (neural models of MODELS_FOLDER) or fixture: (tests)'),
  DIARIZATION_CONCURRENCY: integer(1, 64).default(2).describe('Recordings whose speakers are told apart at once in this process, of one account half of that; each keeps a core busy'),
  DIARIZATION_TIMEOUT_MINUTES: integer(1, 24 * 60).default(60).describe('Minutes that telling the speakers of one recording apart may take'),
  DIARIZATION_MAX_ATTEMPTS: integer(1, 20).default(3).describe('Tries before the diarization stage of a job fails'),
} as const;
