import { once } from 'node:events';
import type { PassThrough } from 'node:stream';
import { toMilliseconds } from '../speech/pcm-format.js';
import { recognizeWithinSpeech } from '../speech/recognize-within-speech.js';
import type { Recognition, RecognizedWord, SpeechRecognizer } from '../speech/speech-recognizer.js';
import { WINDOW_BYTES, type SpeechProbabilities, type SpeechProbabilityStream } from '../voice-activity/speech-probabilities.js';
import { Endpointer, type SpokenStretch } from './endpointer.js';
import { LocalAgreement } from './local-agreement.js';
import { PartialPace } from './partial-pace.js';
import type { RecognitionSlots } from './recognition-slots.js';
import type { StreamingEvent, StreamingInput, StreamingRequest } from './streaming-recognizer.js';
import { UtteranceAudio } from './utterance-audio.js';

/** Utterances that wait for their final recognition before audio is read on. */
const MAX_WAITING = 2;
/** Seconds of audio between two reports of progress in a pause. */
const PROGRESS_EVERY_SECONDS = 1;

interface Engine {
  recognizer: SpeechRecognizer;
  speech: SpeechProbabilities;
  slots: RecognitionSlots;
}

/** A recognition of the utterance that is being said. */
interface PartialRecognition {
  done: Promise<void>;
  abort: AbortController;
}

/** Follows one stream of audio: finds its utterances, recognizes each, and writes what comes of it to `events`. */
export class LiveUtterances {
  private readonly audio = new UtteranceAudio();
  private readonly endpointer: Endpointer;
  private readonly pace = new PartialPace();
  private readonly warned = new Set<string>();
  /** Bytes that do not fill a window yet. */
  private rest = new Uint8Array(0);
  private utterance = 0;
  private agreement = new LocalAgreement();
  private revision = 0;
  private reported = 0;
  private partial: PartialRecognition | undefined;
  private readonly waiting: { start: number; done: Promise<void> }[] = [];
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly request: StreamingRequest,
    private readonly events: PassThrough,
  ) {
    this.endpointer = new Endpointer(request);
  }

  /** Settles when all utterances are recognized. */
  async follow(input: AsyncIterable<StreamingInput>): Promise<void> {
    const speech = this.engine.speech.open();
    try {
      for await (const item of input) {
        if (item === 'finalize') this.close(this.endpointer.endNow('finalize'));
        else await this.hear(item.pcm, speech);
        await this.keepPace();
      }
      this.close(this.endpointer.endNow('end'));
      await Promise.all(this.waiting.map(({ done }) => done));
      this.throwFailure();
      this.report(toMilliseconds(this.audio.end));
    } finally {
      this.partial?.abort.abort();
      speech.close();
      await Promise.allSettled([this.partial?.done, ...this.waiting.map(({ done }) => done)]);
    }
  }

  private async hear(pcm: Uint8Array, speech: SpeechProbabilityStream): Promise<void> {
    this.audio.append(pcm);
    const bytes = Buffer.concat([this.rest, pcm]);
    const whole = bytes.byteLength - (bytes.byteLength % WINDOW_BYTES);
    this.rest = new Uint8Array(bytes.subarray(whole));
    if (whole === 0) return;
    for (const probability of await speech.judge(bytes.subarray(0, whole))) this.accept(probability);
    this.showPartial();
    this.reportPause();
  }

  private accept(probability: number): void {
    const wasQuiet = this.endpointer.start === undefined;
    const ended = this.endpointer.accept(probability);
    if (ended) return this.close(ended);
    const { start } = this.endpointer;
    if (wasQuiet && start !== undefined) this.open(start);
  }

  private open(start: number): void {
    this.utterance += 1;
    this.agreement = new LocalAgreement();
    this.revision = 0;
    this.pace.beginUtterance();
    this.send({ type: 'speech_started', at: start });
  }

  /** Recognizes an utterance that has ended, after those before it. */
  private close(stretch: SpokenStretch | undefined): void {
    if (!stretch) return;
    this.partial?.abort.abort();
    this.partial = undefined;
    if (stretch.endpoint !== 'length') this.send({ type: 'speech_ended', at: stretch.end });
    const { utterance } = this;
    const pcm = this.audio.slice(stretch.start, stretch.end);
    const done = Promise.allSettled(this.waiting.map((before) => before.done)).then(() => this.finish(utterance, pcm, stretch));
    const entry = { start: stretch.start, done };
    this.waiting.push(entry);
    this.audio.dropBefore(stretch.end);
    done.catch((error: unknown) => (this.failure ??= { error })).finally(() => this.waiting.splice(this.waiting.indexOf(entry), 1));
  }

  private async finish(utterance: number, pcm: Uint8Array, stretch: SpokenStretch): Promise<void> {
    this.throwFailure();
    const { words, language, warnings = [] } = await this.engine.slots.run(() => this.recognize(pcm, this.request.signal));
    for (const { code, message } of warnings) this.warn(code, message);
    const { start, end, endpoint } = stretch;
    this.send({ type: 'final', utterance, start, end, words: shifted(words, start, end), ...(language !== undefined && { language }), endpoint });
    this.report(end);
  }

  private recognize(pcm: Uint8Array, signal: AbortSignal): Promise<Recognition> {
    const { language, vocabulary } = this.request;
    const request = { pcm, signal, ...(language !== undefined && { language }), ...(vocabulary !== undefined && { vocabulary }) };
    return recognizeWithinSpeech(this.engine.recognizer, request, [{ start: 0, end: Infinity }]);
  }

  /** Recognizes the utterance that is being said, while the engine has nothing better to do. */
  private showPartial(): void {
    const { start } = this.endpointer;
    if (!this.request.partials || start === undefined || this.partial || this.waiting.length > 0) return;
    const { end } = this.audio;
    if (!this.pace.isDue(end - start)) return;
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.request.signal]);
    const began = performance.now();
    const done = this.engine.slots.tryRun(() => this.recognize(this.audio.slice(start, end), signal));
    if (!done) return;
    const isCurrent = () => this.partial?.abort === abort;
    const shown = done
      .then(({ words }) => isCurrent() && this.sendPartial(start, end, words))
      // The final recognition meets the same fault, and reports it.
      .catch(() => {})
      .then(() => isCurrent() && this.endPartial(end - start, (performance.now() - began) / 1000));
    this.partial = { abort, done: shown.then(() => {}) };
  }

  /** @param spoken seconds that were recognized. @param took seconds */
  private endPartial(spoken: number, took: number): void {
    this.partial = undefined;
    this.pace.record(spoken, took);
    if (this.pace.isTooSlow) this.warn('partials_stopped', 'The speech engine is too slow for partial results; only final ones follow.');
  }

  private sendPartial(start: number, end: number, recognized: readonly RecognizedWord[]): void {
    const { words, stable } = this.agreement.accept(recognized.map(({ text }) => text));
    if (words.length === 0) return;
    this.revision += 1;
    const stableCharacters = words.slice(0, stable).join(' ').length;
    this.send({ type: 'partial', utterance: this.utterance, revision: this.revision, start, end: toMilliseconds(end), text: words.join(' '), stableCharacters });
  }

  /** Says once in a while that nothing was said. */
  private reportPause(): void {
    const until = toMilliseconds(this.waiting[0]?.start ?? this.endpointer.settledUntil);
    if (until - this.reported < PROGRESS_EVERY_SECONDS) return;
    this.report(until);
    this.audio.dropBefore(until);
  }

  private report(until: number): void {
    if (until <= this.reported) return;
    this.reported = until;
    this.send({ type: 'progress', until });
  }

  private warn(code: string, message: string): void {
    if (this.warned.has(code)) return;
    this.warned.add(code);
    this.send({ type: 'warning', code, message });
  }

  private send(event: StreamingEvent): void {
    this.events.write(event);
  }

  /** Waits while the reader or the engine is behind. */
  private async keepPace(): Promise<void> {
    while (this.waiting.length > MAX_WAITING) await Promise.race(this.waiting.map(({ done }) => done)).catch(() => {});
    this.throwFailure();
    if (this.events.writableNeedDrain) await once(this.events, 'drain', { signal: this.request.signal });
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure.error;
  }
}

/** Within the utterance, and to the millisecond from the start of the stream. */
const shifted = (words: readonly RecognizedWord[], start: number, end: number): RecognizedWord[] =>
  words.map((word) => ({ ...word, start: toMilliseconds(Math.min(start + word.start, end)), end: toMilliseconds(Math.min(start + word.end, end)) }));
