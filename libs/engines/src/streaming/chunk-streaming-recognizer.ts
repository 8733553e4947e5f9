import { Slots } from '@parlance/platform/async';
import { requireLanguage } from '../speech/engine-errors.js';
import type { SpeechRecognizer } from '../speech/speech-recognizer.js';
import type { SpeechProbabilities } from '../voice-activity/speech-probabilities.js';
import { eventsWritten } from './event-stream.js';
import { LiveUtterances, type LiveEngine } from './live-utterances.js';
import type { StreamingEvent, StreamingInput, StreamingMode, StreamingRecognizer, StreamingRequest } from './streaming-recognizer.js';

/** As CHUNK_TIMEOUT_SECONDS. */
const DEADLINE_SECONDS = 300;

interface ChunkStreamingOptions {
  /** The engine may take so long for one utterance, then the stream fails with engine_timeout; default 300. */
  deadlineSeconds?: number;
}

/**
 * Streams with an engine that recognizes whole chunks: utterances end at pauses, and are recognized several times while they grow,
 * so that the words on which two successive recognitions agree can be shown early.
 */
export class ChunkStreamingRecognizer implements StreamingRecognizer {
  readonly mode: StreamingMode = 'local_agreement';
  private readonly engine: LiveEngine;

  constructor(recognizer: SpeechRecognizer, speech: SpeechProbabilities, { deadlineSeconds = DEADLINE_SECONDS }: ChunkStreamingOptions = {}) {
    this.engine = { recognizer, speech, slots: new Slots(recognizer.info.parallelism), deadlineMs: deadlineSeconds * 1000 };
  }

  async *recognize(input: AsyncIterable<StreamingInput>, request: StreamingRequest): AsyncGenerator<StreamingEvent> {
    requireLanguage(request.language, this.engine.recognizer.info.languages);
    yield* eventsWritten(request.signal, (events, signal) => new LiveUtterances(this.engine, { ...request, signal }, events).follow(input));
  }
}
