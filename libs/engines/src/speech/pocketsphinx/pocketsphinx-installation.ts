import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { engineFailed } from '../engine-errors.js';

/** The paths of the decoder and its English model. */
export interface PocketsphinxInstallation {
  /** `pocketsphinx_batch`: the one program that 0.8 (Debian, Ubuntu) and 5.x have in common. */
  binary: string;
  /** Holds en-us/ (acoustic model), en-us.lm.bin and cmudict-en-us.dict. */
  model: string;
}

const MODEL_FOLDERS = ['/usr/share', '/usr/local/share', '/opt/homebrew/share'].map((share) => `${share}/pocketsphinx/model/en-us`);
const INSTALL = 'Install it with: apt-get install pocketsphinx pocketsphinx-en-us (macOS: brew install cmu-pocketsphinx).';

interface InstallationSearch {
  /** Overrides the search on PATH. */
  binary?: string;
  /** Overrides the usual places. */
  model?: string;
  /** The environment's PATH. */
  path: string;
}

/** @throws AppError engine_failed, not retryable, that says what is missing and how to install it. */
export async function findPocketsphinx(search: InstallationSearch): Promise<PocketsphinxInstallation> {
  const binaries = search.binary === undefined ? onPath(search.path) : [search.binary];
  const binary = await firstReadable(binaries, constants.X_OK);
  if (binary === undefined) throw missing(`pocketsphinx_batch was not found ${search.binary === undefined ? 'on PATH' : `at ${search.binary}`}`);
  const models = search.model === undefined ? MODEL_FOLDERS : [search.model];
  for (const model of models) {
    const files = ['en-us/mdef', 'en-us.lm.bin', 'cmudict-en-us.dict'].map((file) => join(model, file));
    const found = await Promise.all(files.map((file) => firstReadable([file], constants.R_OK)));
    if (found.every((file) => file !== undefined)) return { binary, model };
  }
  throw missing(`the English model of pocketsphinx was not found in ${models.join(', ')}`);
}

const onPath = (path: string): string[] =>
  path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'pocketsphinx_batch'));

async function firstReadable(paths: readonly string[], mode: number): Promise<string | undefined> {
  for (const path of paths) {
    const readable = await access(path, mode).then(
      () => true,
      () => false,
    );
    if (readable) return path;
  }
  return undefined;
}

const missing = (what: string) => engineFailed(`The speech engine cannot run: ${what}. ${INSTALL}`, { retryable: false });
