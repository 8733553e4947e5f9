import type { LastingMessage, live, ServerMessageOf } from '@parlance/contracts';
import { pause, retryDelay, toAppError, type AppError, type Logger } from '@parlance/platform';
import { RECOGNITION_RATE } from '../audio/raw-format.js';
import type { SessionInput } from '../audio/session-bytes.js';
import type { LiveSession } from '../session/live-session.js';
import { SequenceTaken, type LastingLog } from './lasting-log.js';
import { boundaryMessage, finalMessage, partialMessage, warningMessage } from './recognition-messages.js';
import { recognizeFrom, type RecognitionServices } from './recognition-run.js';
import { RestartPoints } from './restart-points.js';

/** Tries without any progress between them, before a recognition is given up: about 25 seconds. */
const MAX_TRIES = 9;
/** Tries at the same place that ended because the recognizer stalled: each of them takes as long as a stall may last. */
const MAX_STALLS = 2;
const BACKOFF = { initialDelayMs: 200, maxDelayMs: 5000 };
/** Failures that another try does not change. */
const LASTING_KINDS: ReadonlySet<AppError['kind']> = new Set(['invalid', 'not_found', 'forbidden', 'too_large', 'unsupported_media', 'payment_required']);

/** The audio of a session. */
interface RecognizedAudio {
  from(offset: number, signal: AbortSignal): AsyncIterable<SessionInput>;
  /** The bytes before it were read. */
  readonly position: number;
  /** Settles when the bytes before the offset are stored. */
  acknowledged(offset: number): Promise<unknown>;
}

/** Receives the messages of a recognition. */
interface RecognitionListener {
  onMessage(message: LastingMessage | ServerMessageOf<'partial'> | ServerMessageOf<'warning'>): void;
  /** `finalMs` has grown. */
  onFinal?(): void;
}

interface LiveRecognitionOptions {
  services: RecognitionServices;
  audio: RecognizedAudio;
  messages: LastingLog;
  listener: RecognitionListener;
  log: Logger;
  random?: () => number;
}

/** Recognizes a session. When a worker or decoder is lost, it begins anew from the last restart point: its messages come once all the same. */
export class LiveRecognition {
  readonly restarts: RestartPoints;
  private utterances: number;
  private processed = 0;
  private decoded = 0;
  private tries = 0;
  private stalls = 0;
  private name: string | undefined;
  /** The utterance of which partials were sent. */
  private shown: { utterance: number; revision: number } | undefined;

  constructor(
    private readonly session: LiveSession,
    private readonly options: LiveRecognitionOptions,
  ) {
    this.restarts = new RestartPoints(options.messages.restartOf(session));
    this.utterances = this.restarts.latest.utterances;
    this.processed = this.restarts.latest.sample;
  }

  /** The engine, once it has been opened. */
  get engine(): string | undefined {
    return this.name;
  }

  /** Milliseconds of the session that are recognized. */
  get processedMs(): number {
    return toMs(this.processed);
  }

  /** Milliseconds of the session in which everything that was said has its final. */
  get finalMs(): number {
    return toMs(this.restarts.latest.sample);
  }

  /** Milliseconds of the session that were decoded; 0 where nothing is. */
  get decodedMs(): number {
    return toMs(this.decoded);
  }

  /** Settles when the audio has ended and everything is recognized. @throws AppError, SequenceTaken, or the reason of the signal */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.attempt(signal);
      } catch (error) {
        signal.throwIfAborted();
        await this.pauseAfter(error, signal);
      }
    }
  }

  private async attempt(signal: AbortSignal): Promise<void> {
    const { services, audio } = this.options;
    const start = this.restarts.latest;
    this.utterances = start.utterances;
    const run = { session: this.session, start, bytesFrom: (offset: number, own: AbortSignal) => audio.from(offset, own), onDecoded: (sample: number) => (this.decoded = Math.max(this.decoded, sample)), signal };
    for await (const { event } of recognizeFrom(services, run)) {
      signal.throwIfAborted();
      if (event) await this.take(event);
    }
    signal.throwIfAborted();
  }

  /** @throws what another try does not change */
  private async pauseAfter(thrown: unknown, signal: AbortSignal): Promise<void> {
    if (thrown instanceof SequenceTaken) throw thrown;
    const error = toAppError(thrown);
    this.tries += 1;
    this.stalls += Number(error.kind === 'timeout');
    if (LASTING_KINDS.has(error.kind) || this.tries >= MAX_TRIES || this.stalls >= MAX_STALLS) throw error;
    const { log, random = Math.random } = this.options;
    log.warn({ err: error.cause ?? error, job_id: this.session.id, try: this.tries }, 'the recognition of a live session was interrupted and begins anew');
    await pause(retryDelay(this.tries, BACKOFF, random()), signal);
    signal.throwIfAborted();
  }

  private async take(event: NonNullable<live.RecognizeResponse['event']>): Promise<void> {
    switch (event.$case) {
      case 'opened':
        this.name = event.value.engine;
        return;
      case 'speechStarted':
        return this.append(boundaryMessage('speech_started', event.value));
      case 'speechEnded':
        return this.append(boundaryMessage('speech_ended', event.value));
      case 'partial':
        return this.show(event.value);
      case 'final':
        return this.takeFinal(event.value);
      case 'progress':
        return this.advance(event.value.untilSample);
      case 'warning':
        return this.options.listener.onMessage(warningMessage(event.value));
    }
  }

  private show(partial: live.PartialUtterance): void {
    const { utterance, revision, end } = partial;
    this.processed = Math.max(this.processed, Math.round(end * RECOGNITION_RATE));
    this.shown = { utterance, revision };
    this.options.listener.onMessage(partialMessage(partial));
  }

  /** A final is a promise: the audio before it must be there for the job as well. */
  private async takeFinal(final: live.FinalUtterance): Promise<void> {
    const { audio } = this.options;
    const message = finalMessage(final);
    // The number of an utterance without words goes to the next one.
    this.utterances = message ? final.utterance : final.utterance - 1;
    const restart = { sample: final.untilSample, utterances: this.utterances };
    if (message) {
      await audio.acknowledged(audio.position);
      await this.append(message, { restart, ...(final.isPunctuated && { isPunctuated: true }) });
    } else this.withdraw(final);
    this.advance(restart.sample);
  }

  /** The words that were shown turned out to be none. */
  private withdraw({ utterance, segment }: live.FinalUtterance): void {
    if (this.shown?.utterance !== utterance) return;
    const { start = 0, end = start } = segment ?? {};
    this.options.listener.onMessage({ type: 'partial', utterance, revision: this.shown.revision + 1, start, end, text: '', stable_chars: 0 });
  }

  private async append(...message: Parameters<LastingLog['append']>): Promise<void> {
    const stored = await this.options.messages.append(...message);
    if (stored) this.options.listener.onMessage(stored);
  }

  private advance(sample: number): void {
    const before = this.restarts.latest.sample;
    this.restarts.add({ sample, utterances: this.utterances }, this.options.audio.position);
    if (sample > before) [this.tries, this.stalls] = [0, 0];
    this.processed = Math.max(this.processed, sample);
    if (this.restarts.latest.sample > before) this.options.listener.onFinal?.();
  }
}

const toMs = (samples: number): number => Math.floor((samples * 1000) / RECOGNITION_RATE);
