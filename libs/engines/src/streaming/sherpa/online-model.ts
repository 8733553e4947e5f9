import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { catalogueModel, isOnlineModel, type OnlineFamily } from '../../local-models/model-catalogue.js';
import { pickModelFile } from '../../local-models/model-files.js';
import { engineFailed } from '../../speech/engine-errors.js';
import { UnknownModel } from '../../speech/sherpa/sherpa-model.js';

export interface SherpaOnlineModel {
  name: string;
  folder: string;
  family: OnlineFamily;
  languages: readonly string[];
}

const TOKENS = /(^|-)tokens\.txt$/;
/** The file of a CTC model, as the releases of sherpa-onnx name it. */
const CTC_ROLES = ['ctc', 'model'];

/**
 * The streaming model that a setting means: one of the catalogue by name, or a folder (an absolute path) with files named as in the
 * releases of sherpa-onnx. Nothing of a named one is read. @throws UnknownModel
 */
export function sherpaOnlineModel(nameOrFolder: string, modelsFolder: string, languages?: readonly string[]): SherpaOnlineModel {
  if (isAbsolute(nameOrFolder)) return modelIn(nameOrFolder, languages);
  const known = catalogueModel(nameOrFolder);
  if (!known || !isOnlineModel(known)) {
    throw new UnknownModel(`contains an unknown streaming model '${nameOrFolder}'; "parlance-admin models list" shows the known models, or give the absolute path of a folder`);
  }
  return { name: known.name, folder: join(modelsFolder, known.name), family: known.family, languages: languages ?? known.languages };
}

function modelIn(folder: string, languages: readonly string[] | undefined): SherpaOnlineModel {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    throw new UnknownModel(`names a folder that cannot be read: ${folder}`);
  }
  const family = familyOf(names, basename(folder));
  if (!family) throw new UnknownModel(`names a folder without a streaming model of sherpa-onnx: ${folder}`);
  if (!languages) throw new UnknownModel('names a folder, whose languages must be given: add ?languages=en,…');
  return { name: basename(folder), folder, family, languages };
}

function familyOf(names: readonly string[], folder: string): OnlineFamily | undefined {
  const has = (role: string) => pickModelFile(names, role) !== undefined;
  if (!names.some((name) => TOKENS.test(name))) return undefined;
  if (has('encoder') && has('decoder')) return has('joiner') ? 'online-transducer' : 'online-paraformer';
  if (!CTC_ROLES.some(has)) return undefined;
  if (folder.includes('t-one')) return 'online-t-one-ctc';
  return folder.includes('nemo') ? 'online-nemo-ctc' : 'online-zipformer-ctc';
}

/** sherpa-onnx's settings of the model in its folder. @throws AppError engine_failed when it is not all there */
export async function sherpaOnlineConfig({ name, folder, family }: SherpaOnlineModel, threads: number): Promise<object> {
  const names = await readdir(folder).catch(() => []);
  const file = (found: string | undefined) => {
    if (found === undefined) throw notThere(name, folder);
    return join(folder, found);
  };
  const tokens = file(names.find((candidate) => TOKENS.test(candidate)));
  const model = familyConfig(family, (roles, prefer) => file(roles.map((role) => pickModelFile(names, role, prefer)).find((found) => found !== undefined)));
  return {
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    decodingMethod: 'greedy_search',
    modelConfig: { ...model, tokens, numThreads: threads, debug: 0, provider: 'cpu' },
    // Sessions have pauses of their own, so that OnlineUtterance applies the rules.
    enableEndpoint: 0,
  };
}

function familyConfig(family: OnlineFamily, file: (roles: readonly string[], prefer?: 'int8' | 'float') => string): object {
  switch (family) {
    case 'online-transducer':
      return { transducer: { encoder: file(['encoder']), decoder: file(['decoder'], 'float'), joiner: file(['joiner']) } };
    case 'online-paraformer':
      return { paraformer: { encoder: file(['encoder']), decoder: file(['decoder']) } };
    case 'online-nemo-ctc':
      return { nemoCtc: { model: file(CTC_ROLES) } };
    case 'online-t-one-ctc':
      return { toneCtc: { model: file(CTC_ROLES) } };
    default:
      return { zipformer2Ctc: { model: file(CTC_ROLES) } };
  }
}

const notThere = (name: string, folder: string) =>
  engineFailed(
    catalogueModel(name) && basename(folder) === name
      ? `The model ${name} is not in the models folder; "parlance-admin models get ${name}" downloads it.`
      : `The folder of the model ${name} does not contain all of its files.`,
  );
