import { execFile } from 'node:child_process';
import { availableParallelism, tmpdir } from 'node:os';
import { abortError, requireLanguage } from '../engine-errors.js';
import { pcmSeconds, samplesOf } from '../pcm-format.js';
import type { Recognition, RecognitionRequest, RecognizedWord, SpeechEngineInfo, SpeechRecognizer } from '../speech-recognizer.js';
import { DecoderProcess, type Decoder } from './decoder-process.js';
import { findPocketsphinx } from './pocketsphinx-installation.js';
import { SpareDecoder } from './spare-decoder.js';

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

/**
 * English, offline: one process of CMU Sphinx's batch decoder for each chunk. The chunk is cut at its pauses into
 * utterances, all decoded by that process, which `prepare` starts before its chunk is there. Their files are in a folder of the call that is removed however it ends; the results
 * come through pipes.
 */
export class PocketsphinxRecognizer implements SpeechRecognizer {
  readonly info: SpeechEngineInfo;
  readonly #spare = new SpareDecoder(() => this.#start());
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
    await this.#findDecoder();
    const words = isSilent(request.pcm) ? [] : await this.#decode(request);
    return { words, ...(request.vocabulary?.length ? { warnings: [VOCABULARY_IGNORED] } : {}) };
  }

  /** Starts the process of the next call, which loads its models meanwhile. */
  prepare(): void {
    this.#spare.prepare();
  }

  async close(): Promise<void> {
    await this.#spare.close();
  }

  async #decode({ pcm, signal }: RecognitionRequest): Promise<RecognizedWord[]> {
    const spare = await this.#spare.take();
    try {
      if (spare) return await spare.decode(pcm, signal);
    } catch {
      // A spare process may have died while it waited.
      if (signal.aborted) throw abortError(signal);
    }
    return (await this.#start()).decode(pcm, signal);
  }

  async #start(): Promise<DecoderProcess> {
    return DecoderProcess.start(await this.#findDecoder(), this.options.temporaryFolder ?? tmpdir());
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
