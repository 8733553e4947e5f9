import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { catalogueModel, isSpeechModel, type SpeechFamily } from '../../local-models/model-catalogue.js';
import { pickModelFile } from '../../local-models/model-files.js';
import { SENSE_VOICE_LANGUAGES, WHISPER_LANGUAGES } from '../../local-models/model-languages.js';
import { engineFailed } from '../engine-errors.js';

/** A transducer in a folder of one's own may be NeMo's or icefall's: sherpa-onnx finds out, by loading it twice. */
export type SherpaFamily = SpeechFamily | 'transducer';

export interface SherpaModel {
  name: string;
  folder: string;
  family: SherpaFamily;
  languages: readonly string[];
}

/** The configured name or folder of a model is invalid; the message explains why. */
export class UnknownModel extends Error {}

/**
 * The model that a setting means: one of the catalogue by name, or a folder (an absolute path) with files named as in the
 * releases of sherpa-onnx. Of a named one nothing is read.
 * @throws UnknownModel
 */
export function sherpaModel(nameOrFolder: string, modelsFolder: string, languages?: readonly string[]): SherpaModel {
  if (isAbsolute(nameOrFolder)) return modelIn(nameOrFolder, languages);
  const known = catalogueModel(nameOrFolder);
  if (!known || !isSpeechModel(known)) {
    throw new UnknownModel(`contains an unknown speech model '${nameOrFolder}'; "parlance-admin models list" shows the known models, or give the absolute path of a folder`);
  }
  return { name: known.name, folder: join(modelsFolder, known.name), family: known.family, languages: languages ?? known.languages };
}

function modelIn(folder: string, languages: readonly string[] | undefined): SherpaModel {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    throw new UnknownModel(`names a folder that cannot be read: ${folder}`);
  }
  const family = familyOf(names);
  if (!family) throw new UnknownModel(`names a folder without a speech model of sherpa-onnx: ${folder}`);
  const spoken = languages ?? languagesOf(family, names);
  if (!spoken) throw new UnknownModel('names a transducer, whose languages must be given: add ?languages=en,…');
  return { name: basename(folder), folder, family, languages: spoken };
}

function familyOf(names: readonly string[]): SherpaFamily | undefined {
  const has = (role: string) => pickModelFile(names, role) !== undefined;
  if (!names.some((name) => TOKENS.test(name))) return undefined;
  if (has('encoder') && has('decoder')) return has('joiner') ? 'transducer' : 'whisper';
  return has('model') ? 'sense-voice' : undefined;
}

function languagesOf(family: SherpaFamily, names: readonly string[]): readonly string[] | undefined {
  if (family === 'sense-voice') return SENSE_VOICE_LANGUAGES;
  if (family !== 'whisper') return undefined;
  return names.some((name) => name.includes('.en-encoder')) ? ['en'] : WHISPER_LANGUAGES;
}

const TOKENS = /(^|-)tokens\.txt$/;

/** sherpa-onnx's settings of the model in its folder. @throws AppError engine_failed when it is not all there: whoever runs this can get it */
export async function sherpaConfig({ name, folder, family }: SherpaModel, threads: number): Promise<object> {
  const names = await readdir(folder).catch(() => []);
  const file = (found: string | undefined) => {
    if (found === undefined) throw notThere(name, folder);
    return join(folder, found);
  };
  const tokens = file(names.find((candidate) => TOKENS.test(candidate)));
  return {
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    decodingMethod: 'greedy_search',
    modelConfig: { ...familyConfig(family, (role, prefer) => file(pickModelFile(names, role, prefer))), tokens, numThreads: threads, debug: 0, provider: 'cpu' },
  };
}

function familyConfig(family: SherpaFamily, file: (role: string, prefer?: 'int8' | 'float') => string): object {
  switch (family) {
    case 'whisper':
      return { whisper: { encoder: file('encoder'), decoder: file('decoder'), language: '', task: 'transcribe', tailPaddings: -1, enableSegmentTimestamps: 1 } };
    case 'sense-voice':
      return { senseVoice: { model: file('model'), language: '', useInverseTextNormalization: 1 } };
    default: {
      // The decoder is small, and icefall's own examples run it in floats beside int8 for the rest.
      const transducer = { encoder: file('encoder'), decoder: file('decoder', 'float'), joiner: file('joiner') };
      return { transducer, ...(family === 'parakeet' && { modelType: 'nemo_transducer' }), ...(family === 'zipformer' && { modelType: 'transducer' }) };
    }
  }
}

const notThere = (name: string, folder: string) =>
  engineFailed(
    catalogueModel(name) && basename(folder) === name
      ? `The model ${name} is not in the models folder; "parlance-admin models get ${name}" downloads it.`
      : `The folder of the model ${name} does not contain all of its files.`,
  );
