import { PassThrough } from 'node:stream';
import { interruptible } from '@parlance/platform/async';
import { abortError, requireLanguage } from '../speech/engine-errors.js';
import type { SpeechRecognizer } from '../speech/speech-recognizer.js';
import type { SpeechProbabilities } from '../voice-activity/speech-probabilities.js';
import { LiveUtterances } from './live-utterances.js';
import { RecognitionSlots } from './recognition-slots.js';
import type { StreamingEvent, StreamingInput, StreamingMode, StreamingRecognizer, StreamingRequest } from './streaming-recognizer.js';

/** Events that wait for their reader before audio is read on. */
const MAX_UNREAD_EVENTS = 64;

/**
 * Streams with an engine that recognizes whole chunks: utterances end at pauses, and are recognized several times while they grow,
 * so that the words on which two successive recognitions agree can be shown early.
 */
export class ChunkStreamingRecognizer implements StreamingRecognizer {
  readonly mode: StreamingMode = 'local_agreement';
  private readonly slots: RecognitionSlots;

  constructor(
    private readonly recognizer: SpeechRecognizer,
    private readonly speech: SpeechProbabilities,
  ) {
    this.slots = new RecognitionSlots(recognizer.info.parallelism);
  }

  async *recognize(input: AsyncIterable<StreamingInput>, request: StreamingRequest): AsyncGenerator<StreamingEvent> {
    requireLanguage(request.language, this.recognizer.info.languages);
    if (request.signal.aborted) throw abortError(request.signal);
    const left = new AbortController();
    const signal = AbortSignal.any([request.signal, left.signal]);
    const events = new PassThrough({ objectMode: true, highWaterMark: MAX_UNREAD_EVENTS });
    const utterances = new LiveUtterances({ recognizer: this.recognizer, speech: this.speech, slots: this.slots }, { ...request, signal }, events);
    const done = utterances
      .follow(interruptible(input, signal))
      .then(() => events.end())
      .catch((error: unknown) => events.destroy(signal.aborted ? abortError(signal) : (error as Error)));
    try {
      yield* events;
    } finally {
      left.abort();
      await done;
    }
  }
}
