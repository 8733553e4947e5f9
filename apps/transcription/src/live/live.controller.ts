import { Controller, Inject } from '@nestjs/common';
import type { CallOptions, live, LiveService } from '@parlance/contracts';
import { StreamingEngines, type StreamingEngine } from '@parlance/engines';
import { AppError } from '@parlance/platform';
import { LiveRecognizer } from './live-recognizer.js';
import { LiveStreams } from './live-streams.js';
import { MODES } from './live-messages.js';
import { openingOf } from './recognition-requests.js';

/** LiveService: recognizes live audio, and keeps nothing. */
@Controller()
export class LiveController implements LiveService {
  constructor(
    @Inject(StreamingEngines) private readonly engines: StreamingEngines,
    @Inject(LiveStreams) private readonly streams: LiveStreams,
    @Inject(LiveRecognizer) private readonly recognizer: LiveRecognizer,
  ) {}

  async getLiveEngine({ model }: live.GetLiveEngineRequest): Promise<live.GetLiveEngineResponse> {
    const { name: engine, languages, recognizer } = this.find(model);
    return { engine, mode: MODES[recognizer.mode], languages: [...languages] };
  }

  async *recognize(requests: AsyncIterable<live.RecognizeRequest>, { signal = new AbortController().signal }: CallOptions = {}): AsyncGenerator<live.RecognizeResponse> {
    const messages = requests[Symbol.asyncIterator]();
    try {
      yield* this.recognized(messages, signal);
    } finally {
      // Not awaited: an input that stalls never answers, and would hold back the error.
      messages.return?.().catch(() => {});
    }
  }

  private async *recognized(messages: AsyncIterator<live.RecognizeRequest>, signal: AbortSignal): AsyncGenerator<live.RecognizeResponse> {
    const open = await openingOf(messages);
    const engine = this.find(open.options?.model);
    using stream = this.streams.begin(open.accountId);
    yield { event: { $case: 'opened', value: { engine: engine.name, mode: MODES[engine.recognizer.mode] } } };
    try {
      for await (const event of this.recognizer.recognize(open, messages, engine, () => stream.arrived(), AbortSignal.any([signal, stream.lost]))) {
        stream.follow(event);
        yield { event };
      }
    } catch (error) {
      stream.lost.throwIfAborted();
      throw error;
    }
  }

  /** @throws AppError model_unknown */
  private find(model: string | undefined): StreamingEngine {
    const engine = this.engines.find(model);
    if (!engine) throw new AppError({ kind: 'not_found', code: 'model_unknown', message: `There is no speech engine ${model}.` });
    return engine;
  }
}
