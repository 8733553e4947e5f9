import type { ServerMessage, ServerMessageOf } from '@parlance/contracts';
import { separator } from '@parlance/transcript';
import type { RealtimeItem, RealtimeItems } from './realtime-items.js';

/** Makes items of what a live session finds. Times are milliseconds of the session's audio. */
export interface RealtimeTurns {
  take(message: ServerMessage): void;
  /** The client ends the utterance, behind so much audio. */
  commit(atMs: number): void;
  /** The client withdraws the audio since the last item. */
  clear(atMs: number): void;
  /** No further message comes. */
  fail(error: object): void;
}

const msOf = (seconds: number): number => Math.round(seconds * 1000);
const spokenSeconds = ({ start, end }: ServerMessageOf<'final'>): number => Math.round((end - start) * 1000) / 1000;

/** One item for each utterance that the voice activity detection finds. */
export class DetectedTurns implements RealtimeTurns {
  private current: { item: RealtimeItem; isCommitted: boolean } | undefined;
  private clearedMs = 0;

  constructor(private readonly items: RealtimeItems) {}

  take(message: ServerMessage): void {
    if (message.type === 'speech_started') this.begin(msOf(message.at));
    else if (message.type === 'speech_ended') this.end(msOf(message.at));
    else if (message.type === 'partial' && this.current) this.items.show(this.current.item, message.text.slice(0, message.stable_chars));
    else if (message.type === 'final') this.finish(message);
    else if (message.type === 'finished') this.settle();
  }

  commit(): void {
    // The utterance ends by `finalize`, as by a pause.
  }

  clear(atMs: number): void {
    this.clearedMs = atMs;
    if (!this.current?.isCommitted) this.current = undefined;
  }

  fail(error: object): void {
    if (this.current?.isCommitted) this.items.fail(this.current.item, error);
    this.current = undefined;
  }

  private begin(atMs: number): void {
    this.settle();
    if (atMs < this.clearedMs) return;
    this.current = { item: this.items.begin(), isCommitted: false };
    this.items.speechStarted(this.current.item, atMs);
  }

  private end(atMs: number): void {
    if (!this.current || this.current.isCommitted) return;
    this.items.speechStopped(this.current.item, atMs);
    this.current.isCommitted = true;
    this.items.commit(this.current.item);
  }

  private finish(final: ServerMessageOf<'final'>): void {
    const { current } = this;
    if (!current) return;
    this.end(msOf(final.end));
    this.current = undefined;
    this.items.show(current.item, final.text);
    this.items.complete(current.item, final.text, spokenSeconds(final));
  }

  /** An utterance that turned out to have no words has no final. */
  private settle(): void {
    if (this.current?.isCommitted) this.items.complete(this.current.item, '', 0);
    this.current = undefined;
  }
}

interface CommittedItem {
  item: RealtimeItem;
  /** Its audio: from the commit or the withdrawal before it to its own commit. */
  fromMs: number;
  untilMs: number;
  text: string;
  seconds: number;
}

/** Recognition counts in windows of 32 ms: an utterance that is ended by a commit ends with the last whole one. */
const TOLERANCE_MS = 50;

/** One item for each commit of the client, of all utterances that begin in its audio. */
export class CommittedTurns implements RealtimeTurns {
  private readonly pending: CommittedItem[] = [];
  /** Undefined until something is said. */
  private open: CommittedItem | undefined;
  /** The end of the last item, or of what was withdrawn after it. */
  private fromMs = 0;

  constructor(private readonly items: RealtimeItems) {}

  take(message: ServerMessage): void {
    if (message.type === 'partial') this.show(message);
    else if (message.type === 'final') this.add(message);
    else if (message.type === 'ack') this.complete(message.final_ms);
    else if (message.type === 'finished') this.complete(Infinity);
  }

  commit(atMs: number): void {
    const committed = this.openItem();
    committed.untilMs = atMs;
    this.pending.push(committed);
    this.endAt(atMs);
    this.items.commit(committed.item);
  }

  clear(atMs: number): void {
    this.endAt(atMs);
  }

  fail(error: object): void {
    for (const { item } of this.pending.splice(0)) this.items.fail(item, error);
  }

  private endAt(ms: number): void {
    this.open = undefined;
    this.fromMs = ms;
  }

  private openItem(): CommittedItem {
    return (this.open ??= { item: this.items.begin(), fromMs: this.fromMs, untilMs: Infinity, text: '', seconds: 0 });
  }

  /** @param start of an utterance, in seconds. @returns undefined when its audio was withdrawn */
  private itemAt(start: number): CommittedItem | undefined {
    const ms = msOf(start) + TOLERANCE_MS;
    if (ms >= this.fromMs) return this.openItem();
    return this.pending.find(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs);
  }

  private show({ start, text, stable_chars: stable }: ServerMessageOf<'partial'>): void {
    const found = stable > 0 && this.itemAt(start);
    if (found) this.items.show(found.item, joined(found.text, text.slice(0, stable)));
  }

  private add(final: ServerMessageOf<'final'>): void {
    const found = this.itemAt(final.start);
    if (!found) return;
    found.text = joined(found.text, final.text);
    found.seconds += spokenSeconds(final);
    this.items.show(found.item, found.text);
  }

  /** @param finalMs all that was said before has its final */
  private complete(finalMs: number): void {
    for (let [first] = this.pending; first && finalMs >= first.untilMs - TOLERANCE_MS; [first] = this.pending) {
      this.pending.shift();
      this.items.complete(first.item, first.text, first.seconds);
    }
  }
}

const joined = (before: string, text: string): string => (before === '' ? text : before + separator(before, text) + text);
