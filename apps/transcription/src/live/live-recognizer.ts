import { Inject, Injectable } from '@nestjs/common';
import type { common, live } from '@parlance/contracts';
import { BYTES_PER_SECOND, SAMPLE_RATE, type StreamingEngine, type StreamingEvent, type StreamingRequest } from '@parlance/engines';
import type { RecognitionOptions } from '@parlance/transcript';
import { Arrivals } from './arrivals.js';
import { FinalWriter } from './final-writer.js';
import { LiveMessages } from './live-messages.js';
import { LiveMetrics } from './live-metrics.js';
import { inputsOf, recognitionOptionsOf } from './recognition-requests.js';

type Event = NonNullable<live.RecognizeResponse['event']>;

/** One recognition, with what its events are written by. */
interface Running {
  engine: StreamingEngine;
  options: RecognitionOptions;
  signal: AbortSignal;
  messages: LiveMessages;
  arrivals: Arrivals;
  /** Codes of the warnings that were sent. */
  warned: Set<string>;
}

/** Recognizes a live stream and writes its finals as the transcript will have them. */
@Injectable()
export class LiveRecognizer {
  constructor(
    @Inject(FinalWriter) private readonly writer: FinalWriter,
    @Inject(LiveMetrics) private readonly metrics: LiveMetrics,
  ) {}

  /** @param onAudio is called for each piece that arrives. @throws AppError of the engine; canceled when the signal aborts; what `onAudio` throws */
  async *recognize(open: live.OpenRecognition, requests: AsyncIterator<live.RecognizeRequest>, engine: StreamingEngine, onAudio: () => void, signal: AbortSignal): AsyncGenerator<Event> {
    const options = recognitionOptionsOf(open.options);
    const running = { engine, options, signal, messages: new LiveMessages(open), arrivals: new Arrivals(), warned: new Set<string>() };
    const input = inputsOf(requests, (bytes) => {
      onAudio();
      running.arrivals.add(bytes, performance.now());
      this.metrics.received(engine.name, bytes / BYTES_PER_SECOND);
    });
    for await (const event of engine.recognizer.recognize(input, streamingRequest(open, options, signal))) yield* this.messagesOf(event, running);
  }

  private async *messagesOf(event: StreamingEvent, running: Running): AsyncGenerator<Event> {
    const { messages, options, arrivals } = running;
    switch (event.type) {
      case 'speech_started':
      case 'speech_ended':
        return yield messages.boundary(event);
      case 'partial':
        // A number is not known as one before it is said to its end.
        if (options.redaction) return;
        return yield messages.partial(await this.writer.filter(event, options));
      case 'final':
        return yield* this.finalOf(event, running);
      case 'progress':
        arrivals.since(event.until * SAMPLE_RATE, 0);
        return yield messages.progress(event);
      case 'warning':
        return yield* warningsOf([event], running);
    }
  }

  private async *finalOf(event: Extract<StreamingEvent, { type: 'final' }>, running: Running): AsyncGenerator<Event> {
    const { messages, options, engine, signal, arrivals } = running;
    const { words, isPunctuated, warnings } = await this.writer.write(event, options, engine, signal);
    yield* warningsOf(warnings, running);
    this.metrics.finalSent(engine.name, arrivals.since(event.end * SAMPLE_RATE, performance.now()) / 1000);
    yield messages.final(event, words, isPunctuated);
  }
}

function* warningsOf(warnings: readonly common.Warning[], { warned }: Running): Generator<Event> {
  for (const { code, message } of warnings) {
    if (!warned.has(code)) yield { $case: 'warning', value: { code, message } };
    warned.add(code);
  }
}

function streamingRequest({ partials, silenceMs, maxUtteranceMs }: live.OpenRecognition, { language, detection, vocabulary }: RecognitionOptions, signal: AbortSignal): StreamingRequest {
  return { ...(language !== undefined && { language }), ...(detection && { detection }), ...(vocabulary.length > 0 && { vocabulary }), partials, silenceMs, maxUtteranceMs, signal };
}
