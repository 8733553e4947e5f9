import { once } from 'node:events';
import type { PassThrough } from 'node:stream';
import { SAMPLE_RATE } from '../../speech/pcm-format.js';
import { wordsOfResult } from '../../speech/sherpa/words-of-result.js';
import type { RecognizedWord } from '../../speech/speech-recognizer.js';
import type { SpeechProbabilities } from '../../voice-activity/speech-probabilities.js';
import type { StreamingEvent, StreamingInput, StreamingRequest } from '../streaming-recognizer.js';
import { UtteranceFinder, type Found, type Utterance } from '../utterance-finder.js';
import { RealtimeLink, type RealtimeLinkOptions } from './realtime-link.js';
import type { RealtimeUtterance } from './realtime-utterance.js';

/** Utterances without a transcript before audio is read on. */
const MAX_WAITING = 3;

/** An utterance, and the events that come after its final. */
interface Followed {
  number: number;
  start: number;
  revision: number;
  /** The part of the partials that does not change. */
  stable: string;
  sentBytes: number;
  sending: RealtimeUtterance;
  after: StreamingEvent[];
  done: Promise<void>;
}

/** Follows one session: finds its utterances, hands each to the server while it is said, and writes what comes of it to `events`. */
export class RealtimeSession {
  private readonly finder: UtteranceFinder;
  private readonly link: RealtimeLink;
  private readonly waiting: Followed[] = [];
  private current: Followed | undefined;
  private count = 0;
  private reported = 0;
  private isWarned = false;
  private failure: { error: unknown } | undefined;

  constructor(
    speech: SpeechProbabilities,
    link: Omit<RealtimeLinkOptions, 'onText'>,
    private readonly request: StreamingRequest,
    private readonly events: PassThrough,
  ) {
    this.finder = new UtteranceFinder(speech, request);
    this.link = new RealtimeLink({ ...link, onText: (sending) => this.showPartial(sending) });
  }

  async follow(input: AsyncIterable<StreamingInput>): Promise<void> {
    try {
      await this.link.open();
      for await (const item of input) {
        if (item === 'finalize') this.take(this.finder.finalize());
        else await this.hear(item.pcm);
        await this.keepPace();
      }
      this.take(this.finder.finish());
      await this.link.flush();
      await Promise.all(this.waiting.map(({ done }) => done));
      this.throwFailure();
      this.send({ type: 'progress', until: secondsAt(this.finder.heardUntil) });
    } finally {
      this.finder.close();
      this.link.close();
    }
  }

  private async hear(pcm: Uint8Array): Promise<void> {
    for await (const found of this.finder.hear(pcm)) {
      this.take(found);
      await this.keepPace();
    }
    if (this.current) this.append(this.current, this.finder.certainlySpoken());
  }

  private take(found: Found | undefined): void {
    if (found?.type === 'started') this.begin(found.at);
    if (found?.type === 'ended') this.end(found.utterance);
    if (found?.type === 'pause') this.sendInTurn({ type: 'progress', until: secondsAt(found.until) });
  }

  private begin(start: number): void {
    this.count += 1;
    this.sendInTurn({ type: 'speech_started', at: secondsAt(start) });
    this.current = { number: this.count, start, revision: 0, stable: '', sentBytes: 0, sending: this.link.begin(), after: [], done: Promise.resolve() };
  }

  /** The audio that is sent is that of the utterance to the sample, however it arrived. @param spoken from its start on */
  private append(utterance: Followed, spoken: Uint8Array): void {
    if (spoken.byteLength <= utterance.sentBytes) return;
    utterance.sending.append(spoken.slice(utterance.sentBytes));
    utterance.sentBytes = spoken.byteLength;
  }

  private end(found: Utterance): void {
    const { current } = this;
    if (!current) return;
    this.current = undefined;
    this.append(current, found.pcm);
    current.sending.end();
    this.sendInTurn({ type: 'speech_ended', at: secondsAt(found.end) });
    const before = this.waiting.at(-1)?.done ?? Promise.resolve();
    current.done = before.then(() => this.finish(current, found));
    this.waiting.push(current);
    current.done.catch((error: unknown) => (this.failure ??= { error }));
  }

  private async finish(utterance: Followed, { start: from, end: to, endpoint }: Utterance): Promise<void> {
    const words = spread(await utterance.sending.transcript, secondsAt(from), secondsAt(to));
    if (words.length > 0) this.warnOfTimes();
    this.send({ type: 'final', utterance: utterance.number, start: secondsAt(from), end: secondsAt(to), words, endpoint });
    this.send({ type: 'progress', until: secondsAt(to) });
    this.waiting.shift();
    for (const event of utterance.after) this.send(event);
  }

  /** Deltas only add text, but the last word may grow; another connection may hear something else. */
  private showPartial(sending: RealtimeUtterance): void {
    const utterance = [...this.waiting, this.current].find((each) => each?.sending === sending);
    // Partials of later utterances would come before the final of this one.
    if (!this.request.partials || !utterance || (this.waiting.length > 0 && this.waiting[0] !== utterance)) return;
    const words = sending.text.split(/\s+/).filter((word) => word !== '');
    const text = words.join(' ');
    if (words.length === 0 || !text.startsWith(utterance.stable)) return;
    utterance.stable = words.slice(0, -1).join(' ');
    utterance.revision += 1;
    const { number, revision, start, stable } = utterance;
    this.send({ type: 'partial', utterance: number, revision, start: secondsAt(start), end: secondsAt(this.finder.heardUntil), text, stableCharacters: stable.length });
  }

  private warnOfTimes(): void {
    if (this.isWarned) return;
    this.isWarned = true;
    this.send({ type: 'warning', code: 'word_times_estimated', message: 'The speech engine returned no word times; they are estimated from utterances.' });
  }

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

  /** Waits while the server, the network or the reader is behind. */
  private async keepPace(): Promise<void> {
    await this.link.flush();
    while (this.waiting.length > MAX_WAITING && !this.failure) await this.waiting[0]?.done.catch(() => {});
    this.throwFailure();
    if (this.events.writableNeedDrain) await once(this.events, 'drain', { signal: this.request.signal });
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure.error;
  }
}

/** The protocol has no times of words: they share the time of the utterance by their length. */
function spread(text: string, start: number, end: number): RecognizedWord[] {
  const none = { tokens: [], timestamps: [], durations: [], ys_log_probs: [], lang: '', segment_timestamps: [], segment_durations: [], segment_texts: [] };
  return wordsOfResult({ text, ...none }, start, end - start);
}

const secondsAt = (sample: number): number => Math.floor((sample * 1000) / SAMPLE_RATE) / 1000;
