import { TurnBatch } from '@parlance/platform';
import { SherpaProcess } from '../../local-models/sherpa-process.js';
import { engineFailed, engineTimeout } from '../../speech/engine-errors.js';
import { onlineAnswer, type OnlineStep } from './online-step.js';

const WORKER = new URL('./online-worker.mjs', import.meta.url);
const NO_SAMPLES = new Int16Array(0);

/** One stream of audio in the process of a model. */
export interface OnlineStream {
  /** @returns the steps of decoding that this audio allowed. @throws AppError engine_failed, engine_timeout; the stream is lost then */
  accept(samples: Int16Array): Promise<OnlineStep[]>;
  /** Decodes all audio to its end. Only `close` may follow. */
  finish(): Promise<OnlineStep[]>;
  close(): void;
}

interface OnlineStreamsOptions {
  /** Looked up before each start of the process: the model may have been downloaded meanwhile. @throws AppError engine_failed */
  config: () => Promise<object>;
  /** Names the model in messages. */
  what: string;
  /** After so long without a stream the process ends and its memory is free. */
  idleMs: number;
  /** The process has failed when it does not answer for so long while audio waits, be it that it loads the model. */
  answerMs: number;
  /** Default: the worker of this folder. */
  program?: URL;
}

type Part = { stream: number; samples: Int16Array; language: string; finish?: boolean } | { stream: number; forget: true };

/**
 * The streams of one model. One process keeps the state of each, and decodes together what they send in one turn of the event loop.
 * When the process dies, its streams fail; the next stream starts another one.
 */
export class OnlineStreams {
  private running: ModelProcess | undefined;
  private count = 0;
  private opened = 0;
  private retirement: NodeJS.Timeout | undefined;

  constructor(private readonly options: OnlineStreamsOptions) {}

  /** @param language as the model names it; empty: detected, or the model's only one */
  open(language: string): OnlineStream {
    clearTimeout(this.retirement);
    if (!this.running || this.running.hasFailed) this.running = new ModelProcess(this.start(), this.options.answerMs);
    const { running } = this;
    const stream = (this.count += 1);
    let isOpen = true;
    this.opened += 1;
    return {
      accept: (samples) => running.steps({ stream, samples, language }),
      finish: () => running.steps({ stream, samples: NO_SAMPLES, language, finish: true }),
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        running.forget(stream);
        this.leave();
      },
    };
  }

  async close(): Promise<void> {
    clearTimeout(this.retirement);
    const { running } = this;
    this.running = undefined;
    await running?.close();
  }

  private leave(): void {
    this.opened -= 1;
    if (this.opened === 0) this.retirement = setTimeout(() => void this.close(), this.options.idleMs).unref();
  }

  private async start(): Promise<SherpaProcess> {
    const { program = WORKER, config, what } = this.options;
    return new SherpaProcess(program, await config(), what);
  }
}

/** A process with the streams that it decodes. */
class ModelProcess {
  hasFailed = false;
  private readonly questions = new TurnBatch<Part, Map<Part, OnlineStep[]>>((_key, parts) => this.ask(parts));

  constructor(
    private readonly process: Promise<SherpaProcess>,
    private readonly answerMs: number,
  ) {
    // Each stream gets the error from its own call.
    process.catch(() => {});
  }

  async steps(part: Part): Promise<OnlineStep[]> {
    return (await this.questions.add('', part)).get(part) ?? [];
  }

  /** A process that died has forgotten it already. */
  forget(stream: number): void {
    if (!this.hasFailed) this.questions.add('', { stream, forget: true }).catch(() => {});
  }

  async close(): Promise<void> {
    this.hasFailed = true;
    await (await this.process.catch(() => undefined))?.close();
  }

  private async ask(parts: readonly Part[]): Promise<Map<Part, OnlineStep[]>> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(engineTimeout()), this.answerMs);
    try {
      const answer = onlineAnswer.safeParse(await (await this.process).ask({ parts }, late.signal));
      if (!answer.success) throw engineFailed('The streaming speech model answered in an unknown format.');
      return new Map(parts.map((part, nth) => [part, answer.data[nth] ?? []]));
    } catch (error) {
      // A process whose model failed while it decoded has streams in an unknown state.
      void this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
