import type { Writable } from 'node:stream';
import { interruptible } from '@parlance/platform/async';
import { SAMPLE_RATE } from '../../speech/pcm-format.js';
import { wordsOfResult } from '../../speech/sherpa/words-of-result.js';
import type { RecognizedWord } from '../../speech/speech-recognizer.js';
import type { SpeechProbabilities } from '../../voice-activity/speech-probabilities.js';
import { FinalQueue } from '../final-queue.js';
import type { StreamingEvent, StreamingInput, StreamingRequest } from '../streaming-recognizer.js';
import { UtteranceFinder, type Found, type Utterance } from '../utterance-finder.js';
import { RealtimeLink, type RealtimeLinkOptions } from './realtime-link.js';
import type { RealtimeUtterance } from './realtime-utterance.js';

/** Utterances without a transcript before audio is read on. */
const MAX_WAITING = 3;

/** An utterance on its way to the server. */
interface Followed {
  number: number;
  start: number;
  revision: number;
  /** The part of the partials that does not change. */
  stable: string;
  sentBytes: number;
  sending: RealtimeUtterance;
}

type Final = Extract<StreamingEvent, { type: 'final' }>;

/** Follows one session: finds its utterances, hands each to the server while it is said, and writes the results to `events`. */
export class RealtimeSession {
  private readonly finder: UtteranceFinder;
  private readonly link: RealtimeLink;
  private readonly finals: FinalQueue<Followed>;
  private current: Followed | undefined;
  private count = 0;
  private isWarned = false;

  constructor(
    speech: SpeechProbabilities,
    link: Omit<RealtimeLinkOptions, 'onText'>,
    private readonly request: StreamingRequest,
    events: Writable,
  ) {
    this.finder = new UtteranceFinder(speech, request);
    this.finals = new FinalQueue(events, request.signal);
    this.link = new RealtimeLink({ ...link, onText: (sending) => this.showPartial(sending) });
  }

  async follow(input: AsyncIterable<StreamingInput>): Promise<void> {
    try {
      await this.link.open();
      // A final that fails ends the session, although no further input comes.
      for await (const item of interruptible(input, AbortSignal.any([this.request.signal, this.finals.failed]))) {
        if (item === 'finalize') this.take(this.finder.finalize());
        else await this.receive(item.pcm);
        await this.keepPace();
      }
      this.take(this.finder.finish());
      await this.link.flush();
      await this.finals.finished();
      this.finals.send({ type: 'progress', until: secondsAt(this.finder.receivedUntil) });
    } finally {
      this.finder.close();
      this.link.close();
    }
  }

  private async receive(pcm: Uint8Array): Promise<void> {
    for await (const found of this.finder.find(pcm)) {
      this.take(found);
      await this.keepPace();
    }
    if (this.current) this.append(this.current, this.finder.certainlySpoken());
  }

  private take(found: Found | undefined): void {
    if (found?.type === 'started') this.begin(found.at);
    if (found?.type === 'ended') this.end(found.utterance);
    if (found?.type === 'pause') this.finals.sendInTurn({ type: 'progress', until: secondsAt(found.until) });
  }

  private begin(start: number): void {
    this.count += 1;
    this.finals.sendInTurn({ type: 'speech_started', at: secondsAt(start) });
    this.current = { number: this.count, start, revision: 0, stable: '', sentBytes: 0, sending: this.link.begin() };
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
    this.finals.sendInTurn({ type: 'speech_ended', at: secondsAt(found.end) });
    this.finals.add(current, () => this.finalOf(current, found));
  }

  private async finalOf({ number, sending }: Followed, found: Utterance): Promise<Final> {
    const [start, end] = [secondsAt(found.start), secondsAt(found.end)];
    const words = spread(await sending.transcript, start, end);
    if (words.length > 0) this.warnOfTimes();
    return { type: 'final', utterance: number, start, end, words, endpoint: found.endpoint };
  }

  /** Deltas only add text, but the last word may grow; another connection may recognize something else. */
  private showPartial(sending: RealtimeUtterance): void {
    // Partials of a later utterance would come before the final of this one.
    const utterance = this.finals.next ?? this.current;
    if (!this.request.partials || utterance?.sending !== sending) return;
    const words = sending.text.split(/\s+/).filter((word) => word !== '');
    const text = words.join(' ');
    if (words.length === 0 || !text.startsWith(utterance.stable)) return;
    utterance.stable = words.slice(0, -1).join(' ');
    utterance.revision += 1;
    const { number, revision, start, stable } = utterance;
    this.finals.send({ type: 'partial', utterance: number, revision, start: secondsAt(start), end: secondsAt(this.finder.receivedUntil), text, stableCharacters: stable.length });
  }

  private warnOfTimes(): void {
    if (this.isWarned) return;
    this.isWarned = true;
    this.finals.send({ type: 'warning', code: 'word_times_estimated', message: 'The speech engine returned no word times; they are estimated from utterances.' });
  }

  /** Waits while the server, the network or the reader is behind. */
  private async keepPace(): Promise<void> {
    await this.link.flush();
    await this.finals.keepPace(MAX_WAITING);
  }
}

/** The protocol has no times of words: they share the time of the utterance by their length. */
function spread(text: string, start: number, end: number): RecognizedWord[] {
  const none = { tokens: [], timestamps: [], durations: [], ys_log_probs: [], lang: '', segment_timestamps: [], segment_durations: [], segment_texts: [] };
  return wordsOfResult({ text, ...none }, start, end - start);
}

const secondsAt = (sample: number): number => Math.floor((sample * 1000) / SAMPLE_RATE) / 1000;
