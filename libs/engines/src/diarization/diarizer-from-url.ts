import { join } from 'node:path';
import { z } from 'zod';
import { EngineUrl } from '../engine-url.js';
import { BuiltInDiarizer } from './built-in/built-in-diarizer.js';
import { FixtureDiarizer } from './fixture/fixture-diarizer.js';
import { SherpaDiarizer, UnknownDiarizationModel } from './sherpa/sherpa-diarizer.js';
import type { SpeakerDiarizer } from './speaker-diarizer.js';

export const DEFAULT_DIARIZATION_ENGINE_URL = 'built-in:';

const SETTING = { name: 'DIARIZATION_ENGINE_URL', takes: 'built-in:, sherpa: or fixture:' };

const BUILT_IN = z.strictObject({});
const SHERPA = z.strictObject({
  segmentation: z.string().optional(),
  embedding: z.string().optional(),
  threshold: z.coerce.number().positive().max(2).optional(),
  step: z.coerce.number().min(0.01).max(1).optional(),
  threads: z.coerce.number().int().positive().optional(),
});
const FIXTURE = z.strictObject({
  speakers: z.coerce.number().int().positive().optional(),
  turnSeconds: z.coerce.number().positive().optional(),
  delayMs: z.coerce.number().int().nonnegative().optional(),
  failTimes: z.coerce.number().int().nonnegative().optional(),
});

/**
 * The engine that DIARIZATION_ENGINE_URL names: `built-in:`,
 * `sherpa:[?segmentation=&embedding=&threshold=&step=&threads=]` with models of `modelsFolder`, or `fixture:[?speakers=&turnSeconds=&delayMs=&failTimes=]` (tests).
 * Nothing is started or loaded here.
 * @throws ConfigError naming what is wrong with the URL.
 */
export function diarizerFromUrl(url: string, { modelsFolder = join('data', 'models') }: { modelsFolder?: string } = {}): SpeakerDiarizer {
  const engine = new EngineUrl(SETTING, url);
  switch (engine.scheme) {
    case 'built-in:':
      engine.options(BUILT_IN);
      return new BuiltInDiarizer();
    case 'sherpa:':
      return sherpaDiarizer(engine, modelsFolder);
    case 'fixture:':
      return new FixtureDiarizer(engine.options(FIXTURE));
    default:
      throw engine.unknownScheme();
  }
}

function sherpaDiarizer(engine: EngineUrl, modelsFolder: string): SpeakerDiarizer {
  const options = engine.options(SHERPA);
  try {
    return new SherpaDiarizer({ ...options, modelsFolder });
  } catch (error) {
    throw error instanceof UnknownDiarizationModel ? engine.wrong(error.message) : error;
  }
}
