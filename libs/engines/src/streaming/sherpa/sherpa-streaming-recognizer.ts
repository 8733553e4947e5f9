import { availableParallelism } from 'node:os';
import { interruptible } from '@parlance/platform/async';
import { modelLanguage } from '../../local-models/model-languages.js';
import { abortError, requireLanguage } from '../../speech/engine-errors.js';
import type { StreamingEngine } from '../streaming-engine.js';
import type { StreamingEvent, StreamingInput, StreamingMode, StreamingRecognizer, StreamingRequest } from '../streaming-recognizer.js';
import { sherpaOnlineConfig, type SherpaOnlineModel } from './online-model.js';
import { OnlineSession } from './online-session.js';
import { OnlineStreams, type OnlineStream } from './online-streams.js';

interface SherpaStreamingOptions {
  model: SherpaOnlineModel;
  /** Threads of the process; default: the cores, up to 4. */
  threads?: number;
  /** After so long without a stream the process ends and its memory is free; default 300. */
  idleSeconds?: number;
  /** The model may take so long for audio, and to be loaded for its first; default 60. */
  timeoutSeconds?: number;
  /** True when the model writes punctuation and capitals; default false. */
  formatsText?: boolean;
}

/** Streaming speech models in ONNX on this machine, by sherpa-onnx: transducers, Paraformer, and CTC models. */
export class SherpaStreamingRecognizer implements StreamingRecognizer {
  readonly mode: StreamingMode = 'native';

  constructor(
    private readonly streams: OnlineStreams,
    private readonly languages: readonly string[],
  ) {}

  async *recognize(input: AsyncIterable<StreamingInput>, request: StreamingRequest): AsyncGenerator<StreamingEvent> {
    requireLanguage(request.language, this.languages);
    const { signal, language } = request;
    if (signal.aborted) throw abortError(signal);
    if (request.vocabulary?.length) yield VOCABULARY_IGNORED;
    const open = () => interruptibly(this.streams.open(language === undefined ? '' : modelLanguage(language)), signal);
    const session = new OnlineSession(open, request);
    try {
      yield* session.follow(interruptible(input, signal));
    } catch (error) {
      throw signal.aborted ? abortError(signal) : error;
    } finally {
      session.close();
    }
  }
}

/** Rejects at once when the signal aborts, although the process completes its step. */
function interruptibly(stream: OnlineStream, signal: AbortSignal): OnlineStream {
  const race = <T>(work: Promise<T>): Promise<T> => {
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(abortError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort));
  };
  return { accept: (samples) => race(stream.accept(samples)), finish: () => race(stream.finish()), close: () => stream.close() };
}

/** Nothing is started or loaded here. */
export function sherpaStreamingEngine({ model, threads = Math.min(4, availableParallelism()), idleSeconds = 300, timeoutSeconds = 60, formatsText = false }: SherpaStreamingOptions): StreamingEngine {
  const config = () => sherpaOnlineConfig(model, threads);
  const streams = new OnlineStreams({ config, what: `the streaming speech model ${model.name}`, idleMs: idleSeconds * 1000, answerMs: timeoutSeconds * 1000 });
  return {
    name: `sherpa-online:${model.name}`,
    languages: model.languages,
    formatsText,
    recognizer: new SherpaStreamingRecognizer(streams, model.languages),
    check: async () => void (await config()),
    close: () => streams.close(),
  };
}

const VOCABULARY_IGNORED: StreamingEvent = { type: 'warning', code: 'vocabulary_unsupported', message: 'The local speech model does not support a vocabulary.' };
