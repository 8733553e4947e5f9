import { isSameLanguage } from '@parlance/languages';
import { z } from 'zod';
import { SherpaProcess } from '../../local-models/sherpa-process.js';
import { SherpaProcesses } from '../../local-models/sherpa-processes.js';
import { abortError, engineFailed } from '../../speech/engine-errors.js';
import type { Punctuation, PunctuationRequest, Punctuator } from '../punctuator.js';
import { attachedMarks, type MarkedWord } from './attached-marks.js';
import { piecesAtPauses } from './pieces-at-pauses.js';
import { punctuationSettings, type PunctuationModel, type PunctuationSettings } from './punctuation-model.js';

const WORKER = new URL('./punctuation-worker.mjs', import.meta.url);
/** The CNN-BiLSTM takes 200 tokens at once and cuts a longer text anywhere; a word has 1.3 tokens on average. */
const MAX_PIECE_WORDS = 100;
const HAS_CAPITAL = /\p{Lu}/u;

interface SherpaPunctuatorOptions {
  model: PunctuationModel;
  /** Processes at once, each with the model in its memory; default 1. */
  parallelism?: number;
  /** Threads of each process; default 1. */
  threads?: number;
  /** After so long without work the processes end and their memory is free; default 300. */
  idleSeconds?: number;
}

interface Started extends PunctuationSettings {
  processes: SherpaProcesses;
}

const answer = z.object({ text: z.string() });

/** Models of punctuation in ONNX on this machine, by sherpa-onnx: the CNN-BiLSTM of English, with capitals, and the CT-Transformer of Chinese and English. */
export class SherpaPunctuator implements Punctuator {
  readonly info: { name: string };
  #started: Promise<Started> | undefined;

  constructor(private readonly options: SherpaPunctuatorOptions) {
    this.info = { name: `sherpa:${options.model.name}` };
  }

  async check(): Promise<void> {
    await this.#settings();
  }

  async punctuate({ words, language, signal }: PunctuationRequest): Promise<Punctuation | undefined> {
    if (signal.aborted) throw abortError(signal);
    const { processes, languages, hasCapitals } = await (this.#started ??= this.#start());
    if (!languages.some((each) => isSameLanguage(each, language))) return undefined;
    const pieces = piecesAtPauses(words, MAX_PIECE_WORDS);
    const marked = await processes.use(signal, async (process) => {
      const all: MarkedWord[] = [];
      for (const piece of pieces) all.push(...(await markedWords(process, piece.map(({ text }) => text), signal)));
      return all;
    });
    const texts = words.map(({ text }, index) => {
      const word = marked[index] ?? { text, marks: '' };
      return (hasCapitals && !HAS_CAPITAL.test(text) ? word.text : text) + word.marks;
    });
    return { texts, hasCapitals };
  }

  async close(): Promise<void> {
    await (await this.#started?.catch(() => undefined))?.processes.close();
  }

  #settings = (): Promise<PunctuationSettings> => punctuationSettings(this.options.model, this.options.threads ?? 1);

  /** Looks again after a failure: the model may have been got meanwhile. */
  #start(): Promise<Started> {
    const { model, parallelism = 1, idleSeconds = 300 } = this.options;
    return this.#settings().then(
      (settings) => {
        const { online, offline } = settings;
        const start = () => new SherpaProcess(WORKER, { online, offline }, `the punctuation model ${model.name}`);
        return { ...settings, processes: new SherpaProcesses({ limit: parallelism, idleMs: idleSeconds * 1000, start }) };
      },
      (error: unknown) => {
        this.#started = undefined;
        throw error;
      },
    );
  }
}

/** The CNN-BiLSTM knows small letters alone, and the CT-Transformer takes no notice of case. */
async function markedWords(process: SherpaProcess, words: readonly string[], signal: AbortSignal): Promise<MarkedWord[]> {
  const parsed = answer.safeParse(await process.ask({ text: words.join(' ').toLowerCase() }, signal));
  if (!parsed.success) throw engineFailed('The punctuation model answered in an unknown format.');
  const marked = attachedMarks(words, parsed.data.text);
  if (!marked) throw engineFailed('The punctuation model changed words.', { retryable: false });
  return marked;
}
