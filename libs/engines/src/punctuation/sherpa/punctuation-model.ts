import { readdir } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { catalogueModel } from '../../local-models/model-catalogue.js';
import { pickModelFile } from '../../local-models/model-files.js';
import { engineFailed } from '../../speech/engine-errors.js';

/** The configured name or folder of a model is invalid; the message explains why. */
export class UnknownPunctuationModel extends Error {}

/** A model in its folder, whose files are read when it is first used. */
export interface PunctuationModel {
  name: string;
  folder: string;
  /** True for a model of the catalogue. */
  known: boolean;
}

/** The settings of a model for sherpa-onnx. */
export interface PunctuationSettings {
  online?: object;
  offline?: object;
  /** BCP 47 primary subtags that the model writes. */
  languages: readonly string[];
  /** True when it also writes capitals. */
  hasCapitals: boolean;
}

/**
 * The model that a setting means: one of the catalogue by name, or a folder (an absolute path) with files named as in the releases of sherpa-onnx.
 * @throws UnknownPunctuationModel
 */
export function punctuationModel(nameOrFolder: string, modelsFolder: string): PunctuationModel {
  if (isAbsolute(nameOrFolder)) return { name: basename(nameOrFolder), folder: nameOrFolder, known: false };
  const known = catalogueModel(nameOrFolder);
  if (known?.family !== 'punctuation') {
    throw new UnknownPunctuationModel(`contains an unknown punctuation model '${nameOrFolder}'; "parlance-admin models list" shows the known models, or give the absolute path of a folder`);
  }
  return { name: known.name, folder: join(modelsFolder, known.name), known: true };
}

/** A vocabulary beside the model belongs to the CNN-BiLSTM of English; the CT-Transformer of Chinese and English has its words within. @throws AppError engine_failed when it is not all there */
export async function punctuationSettings({ name, folder, known }: PunctuationModel, threads: number): Promise<PunctuationSettings> {
  const names = await readdir(folder).catch((): string[] => []);
  const file = pickModelFile(names, 'model');
  if (file === undefined) throw notThere(name, known);
  const path = join(folder, file);
  const machine = { numThreads: threads, debug: 0, provider: 'cpu' };
  if (names.includes(VOCABULARY)) return { online: { model: { cnnBilstm: path, bpeVocab: join(folder, VOCABULARY), ...machine } }, languages: ['en'], hasCapitals: true };
  return { offline: { model: { ctTransformer: path, ...machine } }, languages: ['zh', 'en'], hasCapitals: false };
}

const VOCABULARY = 'bpe.vocab';

const notThere = (name: string, known: boolean) =>
  engineFailed(known ? `The model ${name} is not in the models folder; "parlance-admin models get ${name}" downloads it.` : `The folder of the model ${name} does not contain a punctuation model.`);
