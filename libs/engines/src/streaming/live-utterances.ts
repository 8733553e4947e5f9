import { once } from 'node:events';
import type { PassThrough } from 'node:stream';
import { SAMPLE_RATE } from '../speech/pcm-format.js';
import type { SpeechRecognizer } from '../speech/speech-recognizer.js';
import type { SpeechProbabilities } from '../voice-activity/speech-probabilities.js';
import { LocalAgreement } from './local-agreement.js';
import { PartialPace } from './partial-pace.js';
import type { RecognitionSlots } from './recognition-slots.js';
import { recognizeUtterance, wordsInStream } from './recognize-utterance.js';
import type { StreamingEvent, StreamingInput, StreamingRequest } from './streaming-recognizer.js';
import { UtteranceFinder, type Found, type Utterance } from './utterance-finder.js';

/** Utterances that wait for their final recognition before audio is read on. */
const MAX_WAITING = 2;

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

/** An utterance that waits for its final recognition, with the events that come after its final. */
interface EndedUtterance extends Utterance {
  number: number;
  done: Promise<void>;
  after: StreamingEvent[];
}

/** Follows one stream of audio: finds its utterances, recognizes each, and writes what comes of it to `events`. */
export class LiveUtterances {
  private readonly finder: UtteranceFinder;
  private readonly pace = new PartialPace();
  private readonly warned = new Set<string>();
  private utterance = 0;
  private agreement = new LocalAgreement();
  private revision = 0;
  private reported = 0;
  private partial: PartialRecognition | undefined;
  private readonly waiting: EndedUtterance[] = [];
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly request: StreamingRequest,
    private readonly events: PassThrough,
  ) {
    this.finder = new UtteranceFinder(engine.speech, request);
  }

  /** Settles when all utterances are recognized. */
  async follow(input: AsyncIterable<StreamingInput>): Promise<void> {
    try {
      for await (const item of input) {
        if (item === 'finalize') this.take(this.finder.finalize());
        else await this.hear(item.pcm);
        await this.keepPace();
      }
      this.take(this.finder.finish());
      await Promise.all(this.waiting.map(({ done }) => done));
      this.throwFailure();
      this.send({ type: 'progress', until: secondsAt(this.finder.heardUntil) });
    } finally {
      this.partial?.abort.abort();
      this.finder.close();
      await Promise.allSettled([this.partial?.done, ...this.waiting.map(({ done }) => done)]);
    }
  }

  private async hear(pcm: Uint8Array): Promise<void> {
    for await (const found of this.finder.hear(pcm)) {
      this.take(found);
      await this.keepPace();
    }
    this.showPartial();
  }

  private take(found: Found | undefined): void {
    if (found?.type === 'started') this.open(found.at);
    if (found?.type === 'ended') this.close(found.utterance);
    if (found?.type === 'pause') this.sendInTurn({ type: 'progress', until: secondsAt(found.until) });
  }

  private open(start: number): void {
    this.utterance += 1;
    this.agreement = new LocalAgreement();
    this.revision = 0;
    this.pace.beginUtterance();
    this.sendInTurn({ type: 'speech_started', at: secondsAt(start) });
  }

  /** Recognizes an utterance that has ended, after those before it. */
  private close(utterance: Utterance): void {
    this.partial?.abort.abort();
    this.partial = undefined;
    this.sendInTurn({ type: 'speech_ended', at: secondsAt(utterance.end) });
    const before = this.waiting.at(-1)?.done ?? Promise.resolve();
    const ended: EndedUtterance = { ...utterance, number: this.utterance, after: [], done: before.then(() => this.finish(ended)) };
    this.waiting.push(ended);
    ended.done.catch((error: unknown) => (this.failure ??= { error }));
  }

  private async finish({ number: utterance, pcm, endpoint, after, ...place }: EndedUtterance): Promise<void> {
    const { words, language, warnings = [] } = await this.engine.slots.run(() => recognizeUtterance(this.engine.recognizer, pcm, this.request));
    for (const { code, message } of warnings) this.warn(code, message);
    const [start, end] = [secondsAt(place.start), secondsAt(place.end)];
    this.send({ type: 'final', utterance, start, end, words: wordsInStream(words, start, end), ...(language !== undefined && { language }), endpoint });
    this.send({ type: 'progress', until: end });
    this.waiting.shift();
    for (const event of after) this.send(event);
  }

  /** Recognizes the utterance that is being said, while the engine has nothing better to do. */
  private showPartial(): void {
    const { start, heardUntil: end } = this.finder;
    if (!this.request.partials || start === undefined || this.partial || this.waiting.length > 0) return;
    const seconds = (end - start) / SAMPLE_RATE;
    if (!this.pace.isDue(seconds)) return;
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.request.signal]);
    const began = performance.now();
    const done = this.engine.slots.tryRun(() => recognizeUtterance(this.engine.recognizer, this.finder.spoken(), { ...this.request, signal }));
    if (!done) return;
    const isCurrent = () => this.partial?.abort === abort;
    const shown = done
      .then(({ words }) => isCurrent() && this.sendPartial(start, end, words.map(({ text }) => text)))
      // The final recognition meets the same fault, and reports it.
      .catch(() => {})
      .then(() => isCurrent() && this.endPartial(seconds, (performance.now() - began) / 1000));
    this.partial = { abort, done: shown.then(() => {}) };
  }

  /** @param spoken seconds that were recognized. @param took seconds */
  private endPartial(spoken: number, took: number): void {
    this.partial = undefined;
    this.pace.record(spoken, took);
    if (this.pace.isTooSlow) this.warn('partials_stopped', 'The speech engine is too slow for partial results; only final ones follow.');
  }

  private sendPartial(start: number, end: number, recognized: readonly string[]): void {
    const { words, stable } = this.agreement.accept(recognized);
    if (words.length === 0) return;
    this.revision += 1;
    const stableCharacters = words.slice(0, stable).join(' ').length;
    this.send({ type: 'partial', utterance: this.utterance, revision: this.revision, start: secondsAt(start), end: secondsAt(end), text: words.join(' '), stableCharacters });
  }

  private warn(code: string, message: string): void {
    if (this.warned.has(code)) return;
    this.warned.add(code);
    this.send({ type: 'warning', code, message });
  }

  /** Sends it after the finals of the utterances before, so that a further recognition has the same order, however fast it is. */
  private sendInTurn(event: StreamingEvent): void {
    const last = this.waiting.at(-1);
    if (last) last.after.push(event);
    else this.send(event);
  }

  private send(event: StreamingEvent): void {
    if (event.type === 'progress' && event.until <= this.reported) return;
    if (event.type === 'progress') this.reported = event.until;
    this.events.write(event);
  }

  /** Waits while the reader or the engine is behind. */
  private async keepPace(): Promise<void> {
    while (this.waiting.length > MAX_WAITING && !this.failure) await this.waiting[0]?.done.catch(() => {});
    this.throwFailure();
    if (this.events.writableNeedDrain) await once(this.events, 'drain', { signal: this.request.signal });
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure.error;
  }
}

/** To the millisecond, and never behind the sample. */
const secondsAt = (sample: number): number => Math.floor((sample * 1000) / SAMPLE_RATE) / 1000;
