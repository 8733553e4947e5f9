import type { Writable } from 'node:stream';
import { interruptible, type Slots } from '@parlance/platform/async';
import { SAMPLE_RATE } from '../speech/pcm-format.js';
import type { Recognition, SpeechRecognizer } from '../speech/speech-recognizer.js';
import type { SpeechProbabilities } from '../voice-activity/speech-probabilities.js';
import { FinalQueue } from './final-queue.js';
import { LocalAgreement } from './local-agreement.js';
import { PartialPace } from './partial-pace.js';
import { recognizeUtterance, wordsInStream } from './recognize-utterance.js';
import type { StreamingEvent, StreamingInput, StreamingRequest } from './streaming-recognizer.js';
import { UtteranceFinder, type Found, type Utterance } from './utterance-finder.js';

/** Utterances that wait for their final recognition before audio is read on. */
const MAX_WAITING = 2;
/** Utterances that wait for their final while a later one is recognized for a partial: one is recognized now, and more would have to wait for the engine. */
const MAX_BEFORE_PARTIAL = 1;

/** A chunk engine, with what all its sessions share. */
export interface LiveEngine {
  recognizer: SpeechRecognizer;
  speech: SpeechProbabilities;
  /** Bounds the calls of one engine over all live streams. Final recognitions wait for a slot; partial ones take one only while it is free. */
  slots: Slots;
  /** Milliseconds that the engine may take for one call. */
  deadlineMs: number;
}

type Final = Extract<StreamingEvent, { type: 'final' }>;

/** A recognition of the utterance that is being said. */
interface PartialRecognition {
  done: Promise<void>;
  abort: AbortController;
}

/** Follows one stream of audio: finds its utterances, recognizes each, and writes the results to `events`. */
export class LiveUtterances {
  private readonly finder: UtteranceFinder;
  private readonly pace = new PartialPace();
  private readonly warned = new Set<string>();
  private utterance = 0;
  private agreement = new LocalAgreement();
  private revision = 0;
  private partial: PartialRecognition | undefined;
  private readonly finals: FinalQueue<Utterance>;

  constructor(
    private readonly engine: LiveEngine,
    private readonly request: StreamingRequest,
    events: Writable,
  ) {
    this.finder = new UtteranceFinder(engine.speech, request);
    this.finals = new FinalQueue(events, request.signal);
  }

  /** Settles when all utterances are recognized. */
  async follow(input: AsyncIterable<StreamingInput>): Promise<void> {
    this.prepare();
    try {
      // A final that fails ends the session, although no further input comes.
      for await (const item of interruptible(input, AbortSignal.any([this.request.signal, this.finals.failed]))) {
        if (item === 'finalize') this.take(this.finder.finalize());
        else await this.receive(item.pcm);
        await this.finals.keepPace(MAX_WAITING);
      }
      this.take(this.finder.finish());
      await this.finals.finished();
      this.finals.send({ type: 'progress', until: secondsAt(this.finder.receivedUntil) });
    } finally {
      this.partial?.abort.abort();
      this.finder.close();
      await Promise.all([this.partial?.done, this.finals.settled()]);
    }
  }

  private async receive(pcm: Uint8Array): Promise<void> {
    for await (const found of this.finder.find(pcm)) {
      this.take(found);
      await this.finals.keepPace(MAX_WAITING);
    }
    this.showPartial();
  }

  private take(found: Found | undefined): void {
    if (found?.type === 'started') this.open(found.at);
    if (found?.type === 'ended') this.close(found.utterance);
    if (found?.type === 'pause') this.finals.sendInTurn({ type: 'progress', until: secondsAt(found.until) });
  }

  private open(start: number): void {
    this.utterance += 1;
    this.agreement = new LocalAgreement();
    this.revision = 0;
    this.pace.beginUtterance();
    this.prepare();
    this.finals.sendInTurn({ type: 'speech_started', at: secondsAt(start) });
  }

  /** Recognizes an utterance that has ended, after those before it. */
  private close(utterance: Utterance): void {
    this.partial?.abort.abort();
    this.partial = undefined;
    this.finals.sendInTurn({ type: 'speech_ended', at: secondsAt(utterance.end) });
    const number = this.utterance;
    this.finals.add(utterance, () => this.finalOf(utterance, number));
  }

  private async finalOf({ pcm, endpoint, ...place }: Utterance, utterance: number): Promise<Final> {
    const { words, language, warnings = [] } = await this.engine.slots.run(() => this.recognize(pcm, this.request.signal));
    this.prepare();
    for (const { code, message } of warnings) this.warn(code, message);
    const [start, end] = [secondsAt(place.start), secondsAt(place.end)];
    return { type: 'final', utterance, start, end, words: wordsInStream(words, start, end), ...(language !== undefined && { language }), endpoint };
  }

  /** Recognizes the utterance that is being said, while the engine has room for it beside the final of the one before. */
  private showPartial(): void {
    const { start, receivedUntil: end } = this.finder;
    if (!this.request.partials || start === undefined || this.partial || this.finals.length > MAX_BEFORE_PARTIAL) return;
    const seconds = (end - start) / SAMPLE_RATE;
    if (!this.pace.isDue(seconds)) return;
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.request.signal]);
    const began = performance.now();
    const done = this.engine.slots.tryRun(() => this.recognize(this.finder.spoken(), signal));
    if (!done) return;
    const isCurrent = () => this.partial?.abort === abort;
    const shown = done
      .then(({ words }) => isCurrent() && this.sendPartial(start, end, words.map(({ text }) => text)))
      // The final recognition meets the same fault, and reports it.
      .catch(() => {})
      .then(() => isCurrent() && this.endPartial(seconds, (performance.now() - began) / 1000, this.revision > 0));
    this.partial = { abort, done: shown.then(() => {}) };
  }

  /** @param spoken seconds that were recognized. @param took seconds. @param hasWords whether the utterance has shown words */
  private endPartial(spoken: number, took: number, hasWords: boolean): void {
    this.partial = undefined;
    this.prepare();
    this.pace.record(spoken, took, hasWords);
    if (this.pace.isTooSlow) this.warn('partials_stopped', 'The speech engine is too slow for partial results; only final ones follow.');
  }

  private sendPartial(start: number, end: number, recognized: readonly string[]): void {
    const { words, stable } = this.agreement.accept(recognized);
    if (words.length === 0) return;
    this.revision += 1;
    const stableCharacters = words.slice(0, stable).join(' ').length;
    this.finals.sendInTurn({ type: 'partial', utterance: this.utterance, revision: this.revision, start: secondsAt(start), end: secondsAt(end), text: words.join(' '), stableCharacters });
  }

  /** Further audio, and so a further call of the engine, is likely. */
  private prepare(): void {
    this.engine.recognizer.prepare?.();
  }

  private warn(code: string, message: string): void {
    if (this.warned.has(code)) return;
    this.warned.add(code);
    this.finals.send({ type: 'warning', code, message });
  }

  /** @throws AppError engine_timeout at the deadline, too */
  private recognize(pcm: Uint8Array, signal: AbortSignal): Promise<Recognition> {
    const deadline = AbortSignal.timeout(this.engine.deadlineMs);
    return recognizeUtterance(this.engine.recognizer, pcm, { ...this.request, signal: AbortSignal.any([signal, deadline]) });
  }
}

/** To the millisecond, and never behind the sample. */
const secondsAt = (sample: number): number => Math.floor((sample * 1000) / SAMPLE_RATE) / 1000;
