import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeScratch } from '@parlance/platform';
import { engineFailed, requireLanguage } from '../engine-errors.js';
import { SAMPLE_RATE, pcmSeconds, samplesOf } from '../pcm-format.js';
import type { Recognition, RecognitionRequest, SpeechEngineInfo, SpeechRecognizer } from '../speech-recognizer.js';
import { decodedAll, parseCtm, type DecodedUtterance } from './ctm.js';
import { findPocketsphinx, type PocketsphinxInstallation } from './pocketsphinx-installation.js';
import { runPocketsphinx } from './run-pocketsphinx.js';
import { splitAtPauses } from './split-at-pauses.js';

/** Measured: a third off the time of the defaults at the same word error rate (docs/engines.md). */
const SEARCH = ['-maxhmmpf', '3000', '-fwdflat', 'no'];
/** Shorter audio has no frame to decode. */
const SHORTEST_SECONDS = 0.1;
/** Peak, -54 dB of full scale; out of digital silence the decoder makes up a word and is sure of it. */
const SILENT_BELOW = 64;

interface PocketsphinxOptions {
  /** Default: found on PATH. */
  binary?: string;
  /** Default: the package's usual places. */
  model?: string;
  /** Chunks at once; default: one a core. */
  parallelism?: number;
  /** The folder for the files of running calls; default: the system's. */
  temporaryFolder?: string;
  /** Default: that of this process. */
  path?: string;
}

interface Decoder extends PocketsphinxInstallation {
  /** Version 0.8 drops silence before decoding, which shifts every later time, unless this flag is set; 5.x has no such option. */
  flags: string[];
}

/**
 * English, offline: one process of CMU Sphinx's batch decoder for each chunk. The chunk is cut at its pauses into
 * utterances, all decoded by that process. Their files are in a folder of the call that is removed however it ends; the results
 * come through pipes.
 */
export class PocketsphinxRecognizer implements SpeechRecognizer {
  readonly info: SpeechEngineInfo;
  #decoder: Promise<Decoder> | undefined;

  constructor(private readonly options: PocketsphinxOptions = {}) {
    this.info = {
      name: 'pocketsphinx',
      isLocal: true,
      languages: ['en'],
      wordTimes: true,
      vocabulary: false,
      formatsText: false,
      maxChunkSeconds: 300,
      idealChunkSeconds: 30,
      detectsLanguage: false,
      reportsLanguage: false,
      wordConfidence: 'always',
      languageConfidence: 'never',
      parallelism: options.parallelism ?? availableParallelism(),
    };
  }

  /** Finds the program and the model. @throws AppError engine_failed with the command that installs them. */
  async check(): Promise<void> {
    await this.#findDecoder();
  }

  async recognize(request: RecognitionRequest): Promise<Recognition> {
    requireLanguage(request.language, this.info.languages);
    const decoder = await this.#findDecoder();
    const words = isSilent(request.pcm) ? [] : await this.#decode(decoder, request);
    return { words, ...(request.vocabulary?.length ? { warnings: [VOCABULARY_IGNORED] } : {}) };
  }

  async close(): Promise<void> {}

  async #decode(decoder: Decoder, { pcm, signal }: RecognitionRequest) {
    const folder = await mkdtemp(join(this.options.temporaryFolder ?? tmpdir(), 'parlance-pocketsphinx-'));
    try {
      const utterances = await writeUtterances(folder, pcm);
      const { ctm, hypotheses } = await runPocketsphinx(decoder.binary, argumentsFor(decoder, folder), signal);
      if (!decodedAll(hypotheses, utterances)) throw engineFailed('pocketsphinx ended before it had transcribed all of the audio.');
      return parseCtm(ctm, utterances);
    } finally {
      await removeScratch(folder);
    }
  }

  /** Remembers what it found, but looks again after a failure: the package may be installed meanwhile. */
  #findDecoder(): Promise<Decoder> {
    const { binary, model, path = process.env['PATH'] ?? '' } = this.options;
    this.#decoder ??= findPocketsphinx({ path, ...(binary && { binary }), ...(model && { model }) })
      .then(async (found) => ({ ...found, flags: (await optionsOf(found.binary)).includes('-remove_silence') ? ['-remove_silence', 'no'] : [] }))
      .catch((error: unknown) => {
        this.#decoder = undefined;
        throw error;
      });
    return this.#decoder;
  }
}

const VOCABULARY_IGNORED = { code: 'vocabulary_unsupported', message: 'The built-in English engine does not support a vocabulary.' };

/** The list of options, which the program prints when it gets none (and fails). */
const optionsOf = (binary: string): Promise<string> =>
  new Promise((resolve) => {
    execFile(binary, { timeout: 10_000, killSignal: 'SIGKILL' }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });

const isSilent = (pcm: Uint8Array): boolean =>
  pcmSeconds(pcm) < SHORTEST_SECONDS || samplesOf(pcm).every((sample) => Math.abs(sample) < SILENT_BELOW);

async function writeUtterances(folder: string, pcm: Uint8Array): Promise<DecodedUtterance[]> {
  const pieces = splitAtPauses(samplesOf(pcm));
  const utterances = pieces.map(({ from, to }, index) => ({ id: `u${index}`, start: from / SAMPLE_RATE, end: to / SAMPLE_RATE }));
  await writeFile(join(folder, 'ctl'), utterances.map(({ id }) => `${id}\n`).join(''));
  await Promise.all(pieces.map(({ from, to }, index) => writeFile(join(folder, `u${index}.raw`), pcm.subarray(from * 2, to * 2))));
  return utterances;
}

const argumentsFor = ({ model, flags }: Decoder, folder: string): string[] => {
  const models = { '-hmm': join(model, 'en-us'), '-lm': join(model, 'en-us.lm.bin'), '-dict': join(model, 'cmudict-en-us.dict') };
  const input = { '-ctl': join(folder, 'ctl'), '-cepdir': folder, '-cepext': '.raw', '-adcin': 'yes', '-adchdr': '0' };
  return [...Object.entries({ ...models, ...input }).flat(), ...SEARCH, ...flags];
};
