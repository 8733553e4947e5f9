import { availableParallelism } from 'node:os';
import { SherpaProcess } from '../../local-models/sherpa-process.js';
import { SherpaProcesses } from '../../local-models/sherpa-processes.js';
import { languageTag, modelLanguage } from '../../local-models/model-languages.js';
import { abortError, engineFailed, requireLanguage } from '../engine-errors.js';
import { SAMPLE_RATE, samplesOf, toMilliseconds } from '../pcm-format.js';
import type { Recognition, RecognitionRequest, RecognitionWarning, RecognizedWord, SpeechEngineInfo, SpeechRecognizer } from '../speech-recognizer.js';
import { sherpaConfig, type SherpaFamily, type SherpaModel } from './sherpa-model.js';
import { sherpaResult, type SherpaResult } from './sherpa-result.js';
import { splitAtQuiet, type SampleRange } from './split-at-quiet.js';
import { wordsOfResult } from './words-of-result.js';

const WORKER = new URL('./recognition-worker.mjs', import.meta.url);
/** Models fail on less than a few frames. */
const SHORTEST_SECONDS = 1;

/**
 * Seconds of audio that a model accepts at once. Whisper takes 30 s less half a second of padding and drops the rest silently;
 * the others were trained on utterances, and their memory grows with the square of the length.
 */
const MAX_PIECE_SECONDS: Readonly<Record<SherpaFamily, number>> = { whisper: 29, parakeet: 60, zipformer: 30, transducer: 30, 'sense-voice': 30 };

/** Transducers write the language of the audio, but do not report it. */
const NAMES_LANGUAGE: readonly SherpaFamily[] = ['whisper', 'sense-voice'];
/** Their results have no probabilities of tokens. */
const GIVES_NO_CONFIDENCE: readonly SherpaFamily[] = ['whisper', 'sense-voice'];

interface SherpaRecognizerOptions {
  model: SherpaModel;
  /** Chunks at once, each in a process with the model in its memory; default 1. */
  parallelism?: number;
  /** Threads of each process; default: the cores, up to 4. */
  threads?: number;
  /** After so long without a chunk the processes end and their memory is free; default 300. */
  idleSeconds?: number;
  /** True when the model writes punctuation and capitals; default: false for Zipformer alone. */
  formatsText?: boolean;
}

interface Heard extends SampleRange {
  result: SherpaResult;
}

/** Speech models in ONNX on this machine, by sherpa-onnx: Whisper, Parakeet (NeMo), Zipformer (icefall) and SenseVoice. */
export class SherpaRecognizer implements SpeechRecognizer {
  readonly info: SpeechEngineInfo;
  #processes: Promise<SherpaProcesses> | undefined;

  constructor(private readonly options: SherpaRecognizerOptions) {
    const { name, family, languages } = options.model;
    this.info = {
      name: `sherpa:${name}`,
      isLocal: true,
      languages,
      wordTimes: family !== 'whisper',
      vocabulary: false,
      formatsText: options.formatsText ?? family !== 'zipformer',
      maxChunkSeconds: 300,
      idealChunkSeconds: 60,
      detectsLanguage: languages.length > 1,
      reportsLanguage: languages.length > 1 && NAMES_LANGUAGE.includes(family),
      wordConfidence: GIVES_NO_CONFIDENCE.includes(family) ? 'never' : 'always',
      languageConfidence: 'never',
      parallelism: options.parallelism ?? 1,
    };
  }

  async check(): Promise<void> {
    await this.#config();
  }

  async recognize(request: RecognitionRequest): Promise<Recognition> {
    const { family } = this.options.model;
    requireLanguage(request.language, this.info.languages);
    if (request.signal.aborted) throw abortError(request.signal);
    const samples = samplesOf(request.pcm);
    const processes = await (this.#processes ??= this.#start());
    const heard = await processes.use(request.signal, (process) => hear(process, samples, request, MAX_PIECE_SECONDS[family]));
    const words = heard.flatMap(wordsOfPiece);
    const language = request.language === undefined && this.info.reportsLanguage ? spokenLanguage(heard) : undefined;
    const warnings = [...(request.vocabulary?.length ? [VOCABULARY_IGNORED] : []), ...(family === 'whisper' && words.length > 0 ? [TIMES_ESTIMATED] : [])];
    return { words, ...(language && { language }), ...(warnings.length > 0 && { warnings }) };
  }

  async close(): Promise<void> {
    await (await this.#processes?.catch(() => undefined))?.close();
  }

  #config = (): Promise<object> => sherpaConfig(this.options.model, this.options.threads ?? Math.min(4, availableParallelism()));

  /** Looks again after a failure: the model may have been got meanwhile. */
  #start(): Promise<SherpaProcesses> {
    return this.#config().then(
      (config) =>
        new SherpaProcesses({
          limit: this.info.parallelism,
          idleMs: (this.options.idleSeconds ?? 300) * 1000,
          start: () => new SherpaProcess(WORKER, config, `the speech model ${this.options.model.name}`),
        }),
      (error: unknown) => {
        this.#processes = undefined;
        throw error;
      },
    );
  }
}

/** Piece by piece; silent ones are not asked about. */
async function hear(process: SherpaProcess, samples: Int16Array, { language, signal }: RecognitionRequest, longestSeconds: number): Promise<Heard[]> {
  const heard: Heard[] = [];
  for (const piece of splitAtQuiet(samples, longestSeconds)) {
    if (samples.subarray(piece.from, piece.to).every((sample) => sample === 0)) continue;
    const padded = new Int16Array(Math.max(piece.to - piece.from, SHORTEST_SECONDS * SAMPLE_RATE));
    padded.set(samples.subarray(piece.from, piece.to));
    const answer = sherpaResult.safeParse(await process.ask({ samples: padded, language: language === undefined ? '' : modelLanguage(language) }, signal));
    if (!answer.success) throw engineFailed('The speech model answered in an unknown format.');
    heard.push({ ...piece, result: answer.data });
  }
  return heard;
}

const wordsOfPiece = ({ from, to, result }: Heard): RecognizedWord[] => wordsOfResult(result, toMilliseconds(from / SAMPLE_RATE), (to - from) / SAMPLE_RATE);

/** The language of most of the time, as the model reports it for each piece with speech. */
function spokenLanguage(heard: readonly Heard[]): string | undefined {
  const samples = new Map<string, number>();
  for (const { from, to, result } of heard) {
    const language = result.text === '' ? undefined : languageTag(result.lang);
    if (language !== undefined) samples.set(language, (samples.get(language) ?? 0) + to - from);
  }
  return [...samples].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

const VOCABULARY_IGNORED: RecognitionWarning = { code: 'vocabulary_unsupported', message: 'The local speech model does not support a vocabulary.' };
const TIMES_ESTIMATED: RecognitionWarning = {
  code: 'word_times_estimated',
  message: 'The speech engine returned no word times; they are estimated from longer segments.',
};
