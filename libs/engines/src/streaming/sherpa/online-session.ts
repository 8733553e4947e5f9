import { samplesOf, SAMPLE_RATE, toMilliseconds } from '../../speech/pcm-format.js';
import type { StreamingEvent, StreamingInput, StreamingRequest } from '../streaming-recognizer.js';
import { UtteranceAudio } from '../utterance-audio.js';
import type { OnlineStep } from './online-step.js';
import type { OnlineStream } from './online-streams.js';
import { OnlineUtterance } from './online-utterance.js';

/** Audio is handed to the process in pieces of this length, so that sessions take turns: a second. */
const PIECE_BYTES = 2 * SAMPLE_RATE;

/**
 * Follows one session. Each utterance is decoded as a stream of its own, which begins where the one before it ended: a recognition
 * that begins there has the same state, and gives the same finals.
 */
export class OnlineSession {
  private readonly audio = new UtteranceAudio();
  private stream: OnlineStream;
  private utterance: OnlineUtterance;
  /** The start of the stream. */
  private origin = 0;
  private rest = new Uint8Array(0);
  private count = 0;
  private revision = 0;
  private shown = '';
  private isSpeaking = false;
  private reported = 0;

  constructor(
    private readonly open: () => OnlineStream,
    private readonly request: StreamingRequest,
  ) {
    this.stream = open();
    this.utterance = new OnlineUtterance(request);
  }

  async *follow(input: AsyncIterable<StreamingInput>): AsyncGenerator<StreamingEvent> {
    for await (const item of input) {
      if (item === 'finalize') yield* this.finish('finalize');
      else yield* this.receive(item.pcm);
    }
    yield* this.finish('end');
  }

  close(): void {
    this.stream.close();
  }

  private async *receive(pcm: Uint8Array): AsyncGenerator<StreamingEvent> {
    const bytes = Buffer.concat([this.rest, pcm]);
    const whole = bytes.byteLength - (bytes.byteLength % 2);
    this.rest = new Uint8Array(bytes.subarray(whole));
    for (let at = 0; at < whole; at += PIECE_BYTES) {
      const piece = new Uint8Array(bytes.subarray(at, Math.min(at + PIECE_BYTES, whole)));
      this.audio.append(piece);
      yield* this.take(await this.stream.accept(samplesOf(piece)));
    }
  }

  /** Follows the steps, and those of the streams that begin within this audio. */
  private async *take(steps: readonly OnlineStep[]): AsyncGenerator<StreamingEvent> {
    const waiting = [...steps];
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      yield* this.step(step);
      const cut = this.utterance.cut();
      if (!cut) continue;
      const until = toMilliseconds(this.origin + cut.at);
      if (cut.endpoint !== 'quiet') yield* this.end(until, cut.endpoint);
      yield* this.report(until);
      waiting.splice(0, Infinity, ...(await this.beginAt(until)));
    }
  }

  private *step(step: OnlineStep): Generator<StreamingEvent> {
    if (!this.utterance.accept(step)) return;
    const { start } = this.utterance;
    if (start === undefined) return;
    if (!this.isSpeaking) {
      this.isSpeaking = true;
      this.count += 1;
      yield { type: 'speech_started', at: toMilliseconds(this.origin + start) };
    }
    if (this.request.partials) yield* this.partial(start, step.decoded);
  }

  private *partial(start: number, decoded: number): Generator<StreamingEvent> {
    const words = this.utterance.words(decoded, this.origin).map(({ text }) => text);
    const text = words.join(' ');
    if (text === this.shown || text === '') return;
    this.shown = text;
    this.revision += 1;
    // Tokens are never taken back, but the last word may grow.
    const stableCharacters = words.slice(0, -1).join(' ').length;
    const end = toMilliseconds(Math.min(this.origin + decoded, this.audio.end / SAMPLE_RATE));
    yield { type: 'partial', utterance: this.count, revision: this.revision, start: toMilliseconds(this.origin + start), end, text, stableCharacters };
  }

  /** Decodes the rest of the stream, and begins another one. */
  private async *finish(endpoint: 'finalize' | 'end'): AsyncGenerator<StreamingEvent> {
    const until = Math.floor((this.audio.end * 1000) / SAMPLE_RATE) / 1000;
    // The padding after the audio does not count: a pause in it ends no utterance.
    for (const step of await this.stream.finish()) yield* this.step(step);
    if (this.isSpeaking) yield* this.end(until, endpoint);
    yield* this.report(until);
    if (endpoint === 'finalize') yield* this.take(await this.beginAt(until));
  }

  private *end(until: number, endpoint: 'silence' | 'length' | 'finalize' | 'end'): Generator<StreamingEvent> {
    const words = this.utterance.words(until - this.origin, this.origin);
    const start = toMilliseconds(this.origin + (this.utterance.start ?? 0));
    yield { type: 'speech_ended', at: until };
    yield { type: 'final', utterance: this.count, start, end: until, words, endpoint };
  }

  private async beginAt(until: number): Promise<OnlineStep[]> {
    const sample = Math.round(until * SAMPLE_RATE);
    const pcm = this.audio.slice(sample, this.audio.end);
    this.audio.dropBefore(sample);
    this.origin = until;
    this.stream.close();
    this.stream = this.open();
    this.utterance = new OnlineUtterance(this.request);
    this.isSpeaking = false;
    this.revision = 0;
    this.shown = '';
    return this.stream.accept(samplesOf(pcm));
  }

  private *report(until: number): Generator<StreamingEvent> {
    if (until <= this.reported) return;
    this.reported = until;
    yield { type: 'progress', until };
  }
}
